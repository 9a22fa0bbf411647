//! The command line as it is typed.

use std::net::SocketAddr;
use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
use jiff::Timestamp;
use soulmem_proto::SoulName;
use soulmem_proto::ops::note_list::NoteKind;
use soulmem_proto::ops::push::Role;
use uuid::Uuid;

use super::commands::eval::EvalArgs;
use super::commands::forget::ForgetArgs;
use super::config::Flags;

/// The memory of LLM characters, on this machine.
#[derive(Debug, Parser)]
#[command(
    name = "soulmem",
    version,
    propagate_version = true,
    arg_required_else_help = true
)]
pub struct Cli {
    #[command(flatten)]
    pub global: GlobalArgs,
    #[command(subcommand)]
    pub command: Command,
}

/// What every command takes.
#[derive(Debug, Args)]
pub struct GlobalArgs {
    /// Folder that holds the characters (default: `$XDG_DATA_HOME/soulmem`)
    #[arg(long, global = true, value_name = "DIR")]
    pub data_dir: Option<PathBuf>,
    /// Configuration file (default: `$XDG_CONFIG_HOME/soulmem/config.toml`, where there is one)
    #[arg(long, global = true, value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// Sets one key of the configuration; `soulmem config` lists them
    #[arg(long = "set", global = true, value_name = "KEY=VALUE")]
    pub settings: Vec<String>,
    /// Endpoint file of the daemon to talk to (default: the one in `$XDG_RUNTIME_DIR/soulmem` or in the data folder)
    #[arg(long, global = true, value_name = "FILE")]
    pub endpoint: Option<PathBuf>,
    /// Form of the log on standard error: human or json
    #[arg(long, global = true, value_name = "FORMAT")]
    pub log_format: Option<String>,
    /// What is logged: error, warn, info, debug, trace, or directives such as soulmem=debug
    #[arg(long, global = true, value_name = "LEVEL")]
    pub log_level: Option<String>,
    /// Prints the result as JSON, for programs
    #[arg(long, global = true)]
    pub json: bool,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Runs the daemon
    Serve(ServeArgs),
    /// Gives messages to a character
    Push(PushArgs),
    /// Asks what comes to a character's mind
    Retrieve(RetrieveArgs),
    /// Has a character make lasting memory of what it was told
    Consolidate(ConsolidateArgs),
    /// Reads and writes notes
    #[command(subcommand)]
    Note(NoteCommand),
    /// Writes links between notes
    #[command(subcommand)]
    Link(LinkCommand),
    /// Makes, lists and drops characters
    #[command(subcommand)]
    Soul(SoulCommand),
    /// Lets time do its work on a memory, shows what it would do, or takes notes back
    Forget(ForgetArgs),
    /// Says how the daemon and its characters are
    Status,
    /// Takes in a graph, a conversation or documents; what is there already stays as it is
    Import(ImportArgs),
    /// Writes a character as a file that `import` reads back
    Export(ExportArgs),
    /// Copies characters into a folder, while they are in use
    Backup(BackupArgs),
    /// Brings characters back from a backup, or goes back to a copy from before a new version
    Restore(RestoreArgs),
    /// Checks everything that is on the disk, and repairs it
    Doctor(DoctorArgs),
    /// Removes notes, messages or a whole character, so that no file holds them any more
    Erase(EraseArgs),
    /// Shows the configuration in effect and where each value came from
    Config,
    /// Puts the memory to the test, and compares the results
    Eval(EvalArgs),
}

/// What `serve` takes.
#[derive(Debug, Args)]
pub struct ServeArgs {
    /// Serves the program that started it: a ready line on standard output, the end of standard input ends the
    /// daemon, any free port by default
    #[arg(long)]
    pub hosted: bool,
    /// Loopback address and port (default: 127.0.0.1:7411, hosted 127.0.0.1:0)
    #[arg(long, value_name = "ADDRESS")]
    pub listen: Option<SocketAddr>,
}

/// What `export` takes.
#[derive(Debug, Args)]
pub struct ExportArgs {
    #[command(flatten)]
    pub soul: SoulArg,
    /// What the file holds
    #[arg(long, value_enum, default_value_t = Format::Archive)]
    pub format: Format,
    /// The file, which must not exist yet (`-` is standard output)
    #[arg(default_value = "-")]
    pub file: PathBuf,
}

/// What `backup` takes.
#[derive(Debug, Args)]
pub struct BackupArgs {
    /// Folder that keeps backups (default: the configured one)
    pub folder: Option<PathBuf>,
    /// Only this character; may be given several times
    #[arg(long = "soul", short, value_name = "NAME")]
    pub souls: Vec<SoulName>,
    /// Encrypts to this age public key; may be given several times (default: the configured ones)
    #[arg(long = "recipient", value_name = "KEY", conflicts_with = "plain")]
    pub recipients: Vec<String>,
    /// Does not encrypt, whatever is configured
    #[arg(long)]
    pub plain: bool,
}

/// What `restore` takes.
#[derive(Debug, Args)]
pub struct RestoreArgs {
    /// The backup's own folder
    #[arg(required_unless_present = "snapshot", conflicts_with = "snapshot")]
    pub folder: Option<PathBuf>,
    /// Only this character; may be given several times
    #[arg(
        long = "soul",
        short,
        value_name = "NAME",
        required_if_eq("snapshot", "true")
    )]
    pub souls: Vec<SoulName>,
    /// Moves characters that are there already into the trash
    #[arg(long)]
    pub replace: bool,
    /// File with the keys that decrypt, as `age-keygen` writes it
    #[arg(long, value_name = "FILE")]
    pub identity: Option<PathBuf>,
    /// Goes back to the last copy from before a new version of the program, and lists what is lost by it
    #[arg(long)]
    pub snapshot: bool,
}

/// What `doctor` takes.
#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub struct DoctorArgs {
    #[command(subcommand)]
    pub about: Option<DoctorCommand>,
    /// Only this character; may be given several times (default: all)
    #[arg(long = "soul", short, value_name = "NAME")]
    pub souls: Vec<SoulName>,
    /// Builds what is wrong anew
    #[arg(long)]
    pub repair: bool,
}

/// What `doctor` looks at beside the disk.
#[derive(Debug, Subcommand)]
pub enum DoctorCommand {
    /// Tries the endpoint of the language model, and says what to change
    Llm,
}

/// What `erase` takes.
#[derive(Debug, Args)]
pub struct EraseArgs {
    #[command(flatten)]
    pub soul: SoulArg,
    /// A note, deleted or not; may be given several times
    #[arg(long = "note", value_name = "ID")]
    pub notes: Vec<Uuid>,
    /// A message, with the notes that rest on nothing else; may be given several times
    #[arg(long = "message", value_name = "ID")]
    pub messages: Vec<Uuid>,
    /// Everything of the character, out of the trash too
    #[arg(long, requires = "confirm", conflicts_with_all = ["notes", "messages"])]
    pub all: bool,
    /// With --all: the name of the character once more
    #[arg(long, value_name = "NAME")]
    pub confirm: Option<SoulName>,
    /// A folder of backups to look into beside the configured one; may be given several times
    #[arg(long = "backups", value_name = "DIR")]
    pub backups: Vec<PathBuf>,
}

/// The character that a command is about.
#[derive(Debug, Args)]
pub struct SoulArg {
    /// The character
    #[arg(long, short, value_name = "NAME")]
    pub soul: SoulName,
}

/// What `push` takes.
#[derive(Debug, Args)]
pub struct PushArgs {
    #[command(flatten)]
    pub soul: SoulArg,
    /// Whose part it is: user, assistant or system
    #[arg(long, default_value = "user", value_parser = role)]
    pub role: Role,
    /// Name of who says it
    #[arg(long)]
    pub name: Option<String>,
    /// When it was said, RFC 3339 (default: now)
    #[arg(long, value_name = "TIME")]
    pub at: Option<Timestamp>,
    /// Time zone that it was said in, such as Asia/Shanghai
    #[arg(long, value_name = "ZONE")]
    pub tz: Option<String>,
    /// The talk that it belongs to
    #[arg(long)]
    pub session: Option<String>,
    /// Where it comes from
    #[arg(long)]
    pub source: Option<String>,
    /// Marks the end of a talk or a change of topic
    #[arg(long)]
    pub tag: bool,
    /// Makes a repeat of the same push within a day harmless
    #[arg(long)]
    pub key: Option<String>,
    /// Messages as JSON, one a line (`-` is standard input), instead of one text
    #[arg(long, value_name = "FILE", conflicts_with_all = ["text", "name", "at", "tz", "session", "source", "tag"])]
    pub file: Option<PathBuf>,
    /// What is said (default: standard input)
    pub text: Vec<String>,
}

fn role(text: &str) -> Result<Role, String> {
    match text {
        "user" => Ok(Role::User),
        "assistant" => Ok(Role::Assistant),
        "system" => Ok(Role::System),
        _ => Err("one of user, assistant, system".to_owned()),
    }
}

/// What `retrieve` takes.
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a switch of the command line"
)]
#[derive(Debug, Args)]
pub struct RetrieveArgs {
    #[command(flatten)]
    pub soul: SoulArg,
    /// Structured sub-queries as JSON, one or a list (`-` is standard input)
    #[arg(long, value_name = "FILE")]
    pub queries: Option<PathBuf>,
    /// Most notes
    #[arg(long)]
    pub limit: Option<u32>,
    /// Score under which nothing competes
    #[arg(long)]
    pub floor: Option<f64>,
    /// The time that is asked at, RFC 3339 (default: now)
    #[arg(long, value_name = "TIME")]
    pub now: Option<Timestamp>,
    /// Leaves out what was said, shows notes only
    #[arg(long)]
    pub no_utterances: bool,
    /// Finds messages too whose wording has faded
    #[arg(long)]
    pub verbatim: bool,
    /// Finds notes too that faded out of recall
    #[arg(long)]
    pub include_archived: bool,
    /// Waits until what is blurred was told anew, where a language model can
    #[arg(long)]
    pub wait_revision: bool,
    /// Does not count as remembering
    #[arg(long)]
    pub no_record: bool,
    /// Shows it as it would be given to a language model
    #[arg(long)]
    pub context: bool,
    /// Shows how each thing was found (with --json)
    #[arg(long)]
    pub explain: bool,
    /// A plain question
    pub text: Vec<String>,
}

/// What `consolidate` takes.
#[derive(Debug, Args)]
pub struct ConsolidateArgs {
    #[command(flatten)]
    pub soul: SoulArg,
    /// Waits until it is done and shows what came of it
    #[arg(long)]
    pub wait: bool,
    /// Makes a repeat of the same command within a day harmless
    #[arg(long)]
    pub key: Option<String>,
}

/// What `note` does.
#[derive(Debug, Subcommand)]
pub enum NoteCommand {
    /// Reads notes by id
    Get {
        #[command(flatten)]
        soul: SoulArg,
        /// The notes
        #[arg(required = true)]
        ids: Vec<Uuid>,
    },
    /// Creates notes, or replaces those that name an `if_revision`
    Put {
        #[command(flatten)]
        soul: SoulArg,
        /// Notes as JSON, one or a list
        #[arg(long, value_name = "FILE", default_value = "-")]
        file: PathBuf,
    },
    /// Corrects a note by another, which takes its place; the old one is kept as what was believed before
    Supersede {
        #[command(flatten)]
        soul: SoulArg,
        /// The note that was wrong, or is true no longer
        old: Uuid,
        /// The note that takes its place, where it is there already
        #[arg(long, value_name = "ID", conflicts_with = "file")]
        by: Option<Uuid>,
        /// The note that takes its place, as JSON (`-` is standard input)
        #[arg(long, value_name = "FILE", required_unless_present = "by")]
        file: Option<PathBuf>,
        /// Until when the old one was held true, RFC 3339 (default: now)
        #[arg(long, value_name = "TIME")]
        at: Option<Timestamp>,
    },
    /// Lists notes
    List {
        #[command(flatten)]
        soul: SoulArg,
        /// Only notes of this kind: `semantic`, `specific_situation`, `abstract_situation`, `procedure`
        #[arg(long, value_parser = kind)]
        kind: Option<NoteKind>,
        /// Only notes with this tag
        #[arg(long)]
        tag: Option<String>,
        /// Most notes
        #[arg(long, default_value_t = 100)]
        limit: usize,
    },
}

fn kind(text: &str) -> Result<NoteKind, String> {
    match text {
        "semantic" => Ok(NoteKind::Semantic),
        "specific_situation" => Ok(NoteKind::SpecificSituation),
        "abstract_situation" => Ok(NoteKind::AbstractSituation),
        "procedure" => Ok(NoteKind::Procedure),
        _ => Err("one of semantic, specific_situation, abstract_situation, procedure".to_owned()),
    }
}

/// What `link` does.
#[derive(Debug, Subcommand)]
pub enum LinkCommand {
    /// Creates links, or replaces those whose id is there
    Put {
        #[command(flatten)]
        soul: SoulArg,
        /// Links as JSON, one or a list
        #[arg(long, value_name = "FILE", default_value = "-")]
        file: PathBuf,
    },
}

/// What `soul` does.
#[derive(Debug, Subcommand)]
pub enum SoulCommand {
    /// Makes a character
    Create {
        /// Its name: 1 to 64 of a-z 0-9 _ -
        name: SoulName,
        /// Its name to people
        #[arg(long)]
        display_name: Option<String>,
        /// Its language, such as zh-CN
        #[arg(long)]
        locale: Option<String>,
    },
    /// Lists the characters
    List,
    /// Counts what a character has, and what it asked of a language model
    Stats {
        /// Its name
        name: SoulName,
    },
    /// Puts a character into the trash, from where it is removed after 30 days
    Drop {
        /// Its name
        name: SoulName,
        /// Its name once more
        #[arg(long, value_name = "NAME")]
        confirm: SoulName,
    },
}

/// What `import` takes.
#[derive(Debug, Args)]
pub struct ImportArgs {
    #[command(flatten)]
    pub soul: SoulArg,
    /// What the file holds (default: documents for a folder, .md and .txt, an archive for .archive.jsonl, passages or
    /// messages for .jsonl by its first row, else a graph)
    #[arg(long, value_enum)]
    pub format: Option<Imported>,
    /// Zone of times that name none, such as Asia/Shanghai (default: this machine's)
    #[arg(long, value_name = "ZONE")]
    pub tz: Option<String>,
    /// The file, or a folder of documents
    pub file: PathBuf,
}

/// What a file to import can hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Imported {
    /// Notes and links, one JSON array
    Graph,
    /// Messages, JSON, one a line: as `push` takes them, or rows of text, speaker, time, session and conv
    Messages,
    /// Everything, JSON, one thing a line
    Archive,
    /// Texts with titles, JSON, one a line
    Passages,
    /// Markdown and plain text
    Documents,
}

/// What a file that `export` writes can hold.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub enum Format {
    /// Notes and links, one JSON array
    Graph,
    /// Messages, JSON, one a line
    Messages,
    /// Everything, JSON, one thing a line
    Archive,
}

impl Cli {
    /// The flags that set keys of the configuration.
    pub fn flags(&self) -> Result<Flags, String> {
        let mut values = Vec::new();
        for setting in &self.global.settings {
            let (key, value) = setting
                .split_once('=')
                .ok_or_else(|| format!("--set {setting}: write it as KEY=VALUE"))?;
            values.push(("--set".to_owned(), key.to_owned(), value.to_owned()));
        }
        let mut flag = |flag: &str, key: &str, value: Option<String>| {
            values.extend(value.map(|value| (flag.to_owned(), key.to_owned(), value)));
        };
        let global = &self.global;
        flag(
            "--data-dir",
            "data_dir",
            global
                .data_dir
                .as_ref()
                .map(|dir| dir.to_string_lossy().into_owned()),
        );
        flag("--log-format", "log.format", global.log_format.clone());
        flag("--log-level", "log.level", global.log_level.clone());
        if let Command::Serve(serve) = &self.command {
            flag(
                "--listen",
                "server.listen",
                serve.listen.map(|address| address.to_string()),
            );
        }
        Ok(Flags {
            file: global.config.clone(),
            values,
        })
    }
}
