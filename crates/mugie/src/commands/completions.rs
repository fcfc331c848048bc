//! `mugie completions`: completion scripts for shells.

use clap::{Args, CommandFactory as _};
use clap_complete::Shell;
use mugie_core::Exit;

use crate::cli::Cli;
use crate::messages::Style;
use crate::output::{self, Broken};

/// Print a shell's completion script for commands and options
///
/// The script is printed to standard output. Each shell has its own directory for such scripts.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Completions {
    /// The shell
    #[arg(value_enum, value_name = "SHELL")]
    shell: Shell,
}

const EXAMPLES: &str = "\
Examples:
  mugie completions bash > ~/.local/share/bash-completion/completions/mugie
  mugie completions zsh > ~/.zfunc/_mugie     with `fpath+=~/.zfunc` before `compinit`
  mugie completions fish > ~/.config/fish/completions/mugie.fish

Exit codes:
  0  the script is printed
  2  the usage is wrong";

impl Completions {
    /// Prints the script.
    pub(crate) fn run(&self, _: &Style) -> Result<Exit, Broken> {
        let mut script = Vec::new();
        clap_complete::generate(self.shell, &mut Cli::command(), "mugie", &mut script);
        output::data(&String::from_utf8_lossy(&script))?;
        Ok(Exit::Fine)
    }
}
