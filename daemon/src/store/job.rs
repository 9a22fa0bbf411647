//! Long work that must survive a crash: what it is, how far it got, what came of it.

use jiff::Timestamp;
use rusqlite::Row;
use uuid::Uuid;

use super::column::{Id, Micros, count};
use super::error::{Result, StoreError};
use super::seal::{Mode, Sealed};
use super::tx::{Seq, Tx, View};

pub(super) static JOB: Sealed = Sealed::new(
    "job",
    1,
    &[
        "seq",
        "id",
        "kind",
        "state",
        "attempts",
        "created_at",
        "updated_at",
        "input",
        "progress",
        "report",
        "error",
    ],
);

pub(super) static LLM_REPLY: Sealed =
    Sealed::new("llm_reply", 1, &["seq", "job", "request", "at", "reply"]);

/// What a job is doing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum JobState {
    /// It waits for its turn.
    Queued,
    /// It was started, and was perhaps cut short by a crash.
    Running,
    /// It is done.
    Done,
    /// It was given up.
    Failed,
}

impl JobState {
    const ALL: [Self; 4] = [Self::Queued, Self::Running, Self::Done, Self::Failed];

    /// The name in the database.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Queued => "queued",
            Self::Running => "running",
            Self::Done => "done",
            Self::Failed => "failed",
        }
    }
}

/// A job.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Job {
    /// Its place in the sequence of writing.
    pub seq: Seq,
    /// Its id.
    pub id: Uuid,
    /// What kind of work, such as `consolidate`.
    pub kind: String,
    /// What it is doing.
    pub state: JobState,
    /// How often it was started.
    pub attempts: u64,
    /// When it was queued.
    pub created_at: Timestamp,
    /// When it last changed.
    pub updated_at: Timestamp,
    /// What it works on, in its own notation.
    pub input: String,
    /// How far it got, in its own notation.
    pub progress: Option<String>,
    /// What came of it, in its own notation.
    pub report: Option<String>,
    /// Why it failed last.
    pub error: Option<String>,
}

impl Tx {
    /// Queues work.
    pub fn queue_job(&self, id: Uuid, kind: &str, input: &str) -> Result<Job> {
        if self.job(id)?.is_some() {
            return Err(StoreError::Conflict(format!("the job {id} exists already")));
        }
        let seq = self.journal("job.queue", Some(id), None)?;
        let job = Job {
            seq,
            id,
            kind: kind.to_owned(),
            state: JobState::Queued,
            attempts: 0,
            created_at: self.now(),
            updated_at: self.now(),
            input: input.to_owned(),
            progress: None,
            report: None,
            error: None,
        };
        self.write_job(Mode::Insert, &job)?;
        Ok(job)
    }

    /// Starts a job, or takes one up again that a crash cut short.
    pub fn start_job(&self, id: Uuid) -> Result<Job> {
        self.change_job(id, "job.start", |job| {
            job.state = JobState::Running;
            job.attempts += 1;
        })
    }

    /// Notes how far a job got.
    pub fn set_job_progress(&self, id: Uuid, progress: &str) -> Result<Job> {
        self.change_job(id, "job.progress", |job| {
            job.progress = Some(progress.to_owned());
        })
    }

    /// Notes what came of a job.
    pub fn finish_job(&self, id: Uuid, report: &str) -> Result<Job> {
        self.change_job(id, "job.done", |job| {
            job.state = JobState::Done;
            job.report = Some(report.to_owned());
            job.error = None;
        })
    }

    /// Notes that a job failed and is given up.
    pub fn fail_job(&self, id: Uuid, error: &str) -> Result<Job> {
        self.change_job(id, "job.failed", |job| {
            job.state = JobState::Failed;
            job.error = Some(error.to_owned());
        })
    }

    /// Puts a job back in the queue after a failure that may pass.
    pub fn requeue_job(&self, id: Uuid, error: &str) -> Result<Job> {
        self.change_job(id, "job.queue", |job| {
            job.state = JobState::Queued;
            job.error = Some(error.to_owned());
        })
    }

    /// Keeps a language model's reply to a request (by its digest) with the job that asked.
    pub fn put_llm_reply(&self, job: Uuid, request: [u8; 32], reply: &str) -> Result<()> {
        let found = self
            .job(job)?
            .ok_or_else(|| StoreError::NotFound(format!("there is no job {job}")))?;
        let seq = self.journal("llm.reply", Some(job), None)?;
        self.connection.execute(
            "DELETE FROM llm_reply WHERE job = ? AND request = ?",
            (found.seq, request),
        )?;
        let request = request.as_slice();
        LLM_REPLY.insert(
            &self.connection,
            &[&seq, &found.seq, &request, &Micros(self.now()), &reply],
        )
    }

    /// Lets the replies go that are kept with other jobs than this, where those have ended.
    pub fn prune_llm_replies(&self, except: Uuid) -> Result<()> {
        let sql = "DELETE FROM llm_reply WHERE job IN \
                   (SELECT seq FROM job WHERE state IN ('done', 'failed') AND id <> ?)";
        self.connection.execute(sql, [Id(except)])?;
        Ok(())
    }

    fn change_job(&self, id: Uuid, what: &str, change: impl FnOnce(&mut Job)) -> Result<Job> {
        let mut job = self
            .job(id)?
            .ok_or_else(|| StoreError::NotFound(format!("there is no job {id}")))?;
        change(&mut job);
        job.updated_at = self.now();
        self.journal(what, Some(id), None)?;
        self.write_job(Mode::Update, &job)?;
        Ok(job)
    }

    fn write_job(&self, mode: Mode, job: &Job) -> Result<()> {
        let values: [&dyn rusqlite::ToSql; 11] = [
            &job.seq,
            &Id(job.id),
            &job.kind,
            &job.state.as_str(),
            &count("attempts", job.attempts)?,
            &Micros(job.created_at),
            &Micros(job.updated_at),
            &job.input,
            &job.progress,
            &job.report,
            &job.error,
        ];
        match mode {
            Mode::Insert => JOB.insert(&self.connection, &values),
            Mode::Update => JOB.update(&self.connection, &values).map(|_| ()),
        }
    }
}

impl View {
    /// One job, if it is there.
    pub fn job(&self, id: Uuid) -> Result<Option<Job>> {
        self.one(&format!("{} WHERE id = ?", JOB.select()), [Id(id)], read)
    }

    /// The jobs that are queued or were cut short, oldest first.
    pub fn open_jobs(&self) -> Result<Vec<Job>> {
        // All are read and checked: a look-up by a damaged state would find none.
        let mut jobs = self.all(&format!("{} ORDER BY seq", JOB.select()), [], read)?;
        jobs.retain(|job| matches!(job.state, JobState::Queued | JobState::Running));
        Ok(jobs)
    }

    /// The last job of a kind that is done.
    pub fn last_done_job(&self, kind: &str) -> Result<Option<Job>> {
        let sql = format!(
            "{} WHERE state = 'done' AND kind = ? ORDER BY seq DESC LIMIT 1",
            JOB.select()
        );
        self.one(&sql, [kind], read)
    }

    /// A language model's reply to a request of the job, if it is kept.
    pub fn llm_reply(&self, job: Uuid, request: [u8; 32]) -> Result<Option<String>> {
        let sql = format!(
            "{} JOIN job ON job.seq = llm_reply.job WHERE job.id = ? AND request = ?",
            LLM_REPLY.select()
        );
        self.one(&sql, (Id(job), request), |row| {
            LLM_REPLY.check(row, 0)?;
            Ok(row.get(4)?)
        })
    }
}

fn read(row: &Row<'_>) -> Result<Job> {
    JOB.check(row, 0)?;
    let state: String = row.get(3)?;
    let known = JobState::ALL
        .into_iter()
        .find(|known| known.as_str() == state);
    Ok(Job {
        seq: row.get(0)?,
        id: row.get::<_, Id>(1)?.0,
        kind: row.get(2)?,
        state: known.ok_or_else(|| JOB.damaged(row, 0, format!("unknown state {state}")))?,
        attempts: row.get::<_, i64>(4)?.cast_unsigned(),
        created_at: row.get::<_, Micros>(5)?.0,
        updated_at: row.get::<_, Micros>(6)?.0,
        input: row.get(7)?,
        progress: row.get(8)?,
        report: row.get(9)?,
        error: row.get(10)?,
    })
}
