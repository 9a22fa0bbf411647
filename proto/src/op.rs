use std::fmt;

/// The operations that this version of the protocol has built.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Op {
    /// Authenticates a connection.
    Hello,
    /// Asks whether the daemon answers.
    Ping,
    /// Asks for the condition of everything.
    Health,
    /// Makes a character.
    SoulCreate,
    /// Names the characters.
    SoulList,
    /// Says or sets whether this copy of a character is the one that is written to.
    SoulOwner,
    /// Ends the daemon in good order.
    Shutdown,
    /// Gives messages to a character.
    Push,
    /// Asks what comes to mind.
    Retrieve,
    /// Makes memories of what was said.
    Consolidate,
    /// Moves the write-ahead log into the database.
    Checkpoint,
    /// Reads notes by id.
    NoteGet,
    /// Creates or replaces notes.
    NotePut,
    /// Lists notes.
    NoteList,
    /// Creates or replaces links.
    LinkPut,
    /// Takes links away.
    LinkDelete,
    /// Hides notes.
    NoteDelete,
    /// Says whether it was right that something came up.
    Feedback,
    /// Goes through all notes as time has made them.
    Forget,
    /// Lists messages.
    MessageList,
    /// Counts what is there.
    Stats,
    /// Asks for events on this connection.
    Subscribe,
    /// Ends a subscription.
    Unsubscribe,
    /// Takes in a whole file.
    Import,
    /// Puts a character into the trash.
    SoulDrop,
    /// Corrects a note by another.
    NoteSupersede,
    /// Removes something so that no file holds it any more.
    Erase,
    /// Copies characters into a folder.
    Backup,
    /// Brings characters back from a backup.
    Restore,
    /// Checks what is on the disk, and repairs it.
    Doctor,
    /// Writes a character as a file.
    Export,
}

impl Op {
    /// Every operation, in the order in which `hello` tells them.
    pub const ALL: [Op; 31] = [
        Op::Hello,
        Op::Ping,
        Op::Health,
        Op::SoulCreate,
        Op::SoulList,
        Op::SoulOwner,
        Op::Shutdown,
        Op::Push,
        Op::Retrieve,
        Op::Consolidate,
        Op::Checkpoint,
        Op::NoteGet,
        Op::NotePut,
        Op::NoteList,
        Op::LinkPut,
        Op::LinkDelete,
        Op::NoteDelete,
        Op::Feedback,
        Op::Forget,
        Op::MessageList,
        Op::Stats,
        Op::Subscribe,
        Op::Unsubscribe,
        Op::Import,
        Op::SoulDrop,
        Op::NoteSupersede,
        Op::Erase,
        Op::Backup,
        Op::Restore,
        Op::Doctor,
        Op::Export,
    ];

    /// The operation's name on the wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            Op::Hello => "hello",
            Op::Ping => "ping",
            Op::Health => "health",
            Op::SoulCreate => "soul.create",
            Op::SoulList => "soul.list",
            Op::SoulOwner => "soul.owner",
            Op::Shutdown => "shutdown",
            Op::Push => "push",
            Op::Retrieve => "retrieve",
            Op::Consolidate => "consolidate",
            Op::Checkpoint => "checkpoint",
            Op::NoteGet => "note.get",
            Op::NotePut => "note.put",
            Op::NoteList => "note.list",
            Op::LinkPut => "link.put",
            Op::LinkDelete => "link.delete",
            Op::NoteDelete => "note.delete",
            Op::Feedback => "feedback",
            Op::Forget => "forget",
            Op::MessageList => "message.list",
            Op::Stats => "stats",
            Op::Subscribe => "subscribe",
            Op::Unsubscribe => "unsubscribe",
            Op::Import => "import",
            Op::SoulDrop => "soul.drop",
            Op::NoteSupersede => "note.supersede",
            Op::Erase => "erase",
            Op::Backup => "backup",
            Op::Restore => "restore",
            Op::Doctor => "doctor",
            Op::Export => "export",
        }
    }

    /// The operation of that name, if it is built.
    pub fn parse(name: &str) -> Option<Op> {
        Op::ALL.into_iter().find(|op| op.as_str() == name)
    }

    /// Whether a request must name a character.
    pub const fn needs_soul(self) -> bool {
        !matches!(
            self,
            Op::Hello
                | Op::Ping
                | Op::Health
                | Op::SoulList
                | Op::Shutdown
                | Op::Backup
                | Op::Restore
        )
    }

    /// Whether the operation writes: its effect is durable before it is answered, and an idempotency key counts.
    pub const fn writes(self) -> bool {
        matches!(
            self,
            Op::SoulCreate
                | Op::Push
                | Op::Consolidate
                | Op::Checkpoint
                | Op::NotePut
                | Op::LinkPut
                | Op::LinkDelete
                | Op::NoteDelete
                | Op::Feedback
                | Op::Forget
                | Op::Import
                | Op::SoulDrop
                | Op::NoteSupersede
                | Op::Erase
        )
    }
}

impl fmt::Display for Op {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
