//! Where SoulMem's files are: the folders of the XDG base directory specification.

use std::path::PathBuf;

use etcetera::{BaseStrategy, base_strategy::Xdg};

/// The folders that the environment names. Each is `None` where the environment says too little
/// (no `HOME`, as under some service managers): that is an error only where the folder is needed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Folders {
    /// `$XDG_CONFIG_HOME/soulmem`: the configuration file.
    pub config: Option<PathBuf>,
    /// `$XDG_DATA_HOME/soulmem`: the characters and the models.
    pub data: Option<PathBuf>,
    /// `$XDG_RUNTIME_DIR/soulmem`: the endpoint file of a daemon that was started by hand.
    pub runtime: Option<PathBuf>,
}

impl Folders {
    /// Reads them from the process's environment.
    pub fn from_env() -> Self {
        let Ok(xdg) = Xdg::new() else {
            return Self::default();
        };
        let soulmem = |folder: PathBuf| folder.join("soulmem");
        Self {
            config: Some(soulmem(xdg.config_dir())),
            data: Some(soulmem(xdg.data_dir())),
            runtime: xdg.runtime_dir().map(soulmem),
        }
    }
}
