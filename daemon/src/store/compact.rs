//! Writing a database anew, so that nothing is left in it of what was deleted.

use super::Store;
use super::connection::{Purpose, connect};
use super::error::{Result, StoreError};
use super::files::{self, Identity};
use super::pending::Pending;
use super::tx::Tx;
use super::writer::{Command, Writer};

impl Store {
    /// Writes the database anew without its free space. Reads go on, but for a moment at the end.
    pub fn compact(&self) -> Pending<()> {
        let (reply, pending) = Pending::new();
        self.send(Command::Compact(reply));
        pending
    }
}

impl Writer {
    /// The new file is complete and on the disk before it takes the place of the old one.
    pub(super) fn compact(&mut self) -> Result<()> {
        if let Some(refusal) = self.watch.refusal() {
            return Err(refusal);
        }
        let result = self.write_anew().map_err(|error| error.in_file(&self.file));
        match &result {
            Ok(()) => self.watch.succeeded(),
            Err(error) => self.watch.failed(error),
        }
        result
    }

    fn write_anew(&mut self) -> Result<()> {
        let new = self.layout.unfinished();
        files::remove_database(&new)?;
        files::make_file(&new)?;
        let tx = match self.tx.take() {
            Some(tx) => tx,
            None => self.connect()?,
        };
        fail::fail_point!("store::compact", |_| Err(StoreError::injected()));
        let name = new.to_str().ok_or_else(|| StoreError::Invalid {
            field: "folder".to_owned(),
            reason: format!("{} is not valid UTF-8", new.display()),
        })?;
        let written = tx
            .connection
            .execute("VACUUM INTO ?", [name])
            .map_err(StoreError::from);
        self.tx = Some(tx);
        written?;
        files::sync_file(&new)?;
        let pool = std::sync::Arc::clone(&self.pool);
        pool.exclusively(|| self.exchange())
    }

    /// With no reader left, closes the old database, which empties its log, and renames the new one into its place.
    fn exchange(&mut self) -> Result<()> {
        if let Some(tx) = self.tx.take() {
            tx.into_connection().close().map_err(|(_, error)| error)?;
        }
        let [log, ..] = files::companions(&self.file);
        if log.exists() {
            // Another program has the database open: its log would be taken for that of the new file.
            return Err(StoreError::Locked {
                file: self.file.clone(),
            });
        }
        files::rename(&self.layout.unfinished(), &self.file)?;
        self.identity = Identity::of(&self.file)?;
        self.tx = Some(Tx::over(connect(
            &self.file,
            Purpose::Write,
            self.vfs.as_deref(),
        )?));
        Ok(())
    }
}
