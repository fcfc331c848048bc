//! Determines what the user has to consent to before a verifier is run: the definitions, programs
//! and arguments that come from documents of somebody else.
//!
//! Nothing here runs a program.

use std::path::{Path, PathBuf};

use super::{Consent, Registry, ResolveError, is_file, unreadable};
use crate::definition::{Definition, Origin, ProgramDefinition, SolverDefinition};
use crate::find::ProgramQuery;
use crate::trust::{self, Demand, Foreign, TrustState, Untrusted};
use crate::verifier::VerifierOptions;

/// What a document of somebody else asks for.
struct ConsentRequest<'a> {
    document: &'a Path,
    /// How to name it on a command line, if it is the definition of a verifier.
    name: Option<&'a str>,
    runs: Vec<String>,
    arguments: Vec<String>,
}

/// How to name a definition on a command line: its name, or its file. `None` if that would need
/// quoting, because whoever copies a command should be able to see what it does.
fn given(definition: &Definition) -> Option<&str> {
    let name = match &definition.origin {
        Origin::File(path) => path.to_str()?,
        Origin::Shipped | Origin::Project(_) => &definition.name,
    };
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_./".contains(&byte);
    (name.bytes().all(is_plain) && !name.starts_with('-')).then_some(name)
}

impl Registry {
    /// Fails if a document asks for something that the user has not consented to.
    pub(super) fn check_consent(
        &self,
        name: &str,
        definition: &Definition,
        foreign: Option<&Foreign>,
        options: &VerifierOptions,
    ) -> Result<(), ResolveError> {
        if self.trusts_everything {
            return Ok(());
        }
        let is_foreign = foreign.is_some_and(|it| it.verifier.as_deref() == Some(name));
        if let Some(path) = self.strangers_file(definition, is_foreign && is_file(name)) {
            let demand = self.demand(definition, path)?;
            let runs = self.words_of_programs(definition, &demand);
            let asked = ConsentRequest {
                document: path,
                name: given(definition),
                runs,
                arguments: Vec::new(),
            };
            self.require(&demand, asked)?;
        }
        let Some(foreign) = foreign else { return Ok(()) };
        let programs = self.foreign_programs(definition, foreign, options);
        let arguments = options.arguments.iter();
        let arguments = arguments.filter(|it| foreign.arguments.contains(it));
        let arguments: Vec<String> = arguments
            .filter(|argument| !trust::is_harmless(&self.environment, argument))
            .cloned()
            .collect();
        if programs.is_empty() && arguments.is_empty() {
            return Ok(());
        }
        let document = &foreign.document;
        let demand = Demand::new(document, foreign.hash.clone(), programs).map_err(unreadable)?;
        let runs = demand.programs.iter().map(|program| program.path.clone()).collect();
        self.require(&demand, ConsentRequest { document, name: None, runs, arguments })
    }

    fn require(&self, demand: &Demand, asked: ConsentRequest<'_>) -> Result<(), ResolveError> {
        let standing = trust::standing(&self.environment, demand)?;
        if standing == TrustState::Trusted {
            return Ok(());
        }
        let ConsentRequest { document, name, runs, arguments } = asked;
        Err(ResolveError::Untrusted(Box::new(Untrusted {
            document: document.to_owned(),
            name: name.map(str::to_owned),
            runs,
            arguments,
            changed: standing == TrustState::Changed,
            fingerprint: demand.fingerprint(),
        })))
    }

    /// The file of a definition that may be anybody's: one in the current directory, or one that a
    /// document names, unless its content equals a definition that the user has anyway.
    fn strangers_file<'d>(&self, definition: &'d Definition, is_named: bool) -> Option<&'d Path> {
        let path = match &definition.origin {
            Origin::Project(path) => path,
            Origin::File(path) if is_named => path,
            Origin::File(_) | Origin::Shipped => return None,
        };
        let content = definition.content();
        let is_named = |own: &&Definition| own.name == definition.name;
        // A copy under another name is fine, unless it replaces another definition.
        let replaces = self.own.iter().any(|own| is_named(&own));
        let mut own = self.own.iter().filter(|own| !replaces || is_named(own));
        (!own.any(|own| own.content() == content)).then_some(path)
    }

    /// What a definition of somebody else asks for.
    fn demand(&self, definition: &Definition, path: &Path) -> Result<Demand, ResolveError> {
        let solvers = definition.solvers.iter().map(|solver| &solver.program);
        let programs = [&definition.program].into_iter().chain(solvers);
        let found = programs.filter_map(|program| self.named(program)).collect();
        Demand::new(path, trust::hash(&definition.text), found).map_err(unreadable)
    }

    /// The program that a definition names, regardless of the user's variables.
    fn named(&self, program: &ProgramDefinition) -> Option<PathBuf> {
        program.names.iter().find_map(|name| self.environment.program(name.as_ref()))
    }

    /// The programs that a definition asks for: paths of those that were found, and the names of
    /// the verifier's program if that was not found.
    fn words_of_programs(&self, definition: &Definition, demand: &Demand) -> Vec<String> {
        let missing = self.named(&definition.program).is_none();
        let names = definition.program.names.iter().filter(|_| missing).cloned();
        names.chain(demand.programs.iter().map(|program| program.path.clone())).collect()
    }

    /// The programs that a document names, without those that would be found without it.
    fn foreign_programs(
        &self,
        definition: &Definition,
        foreign: &Foreign,
        options: &VerifierOptions,
    ) -> Vec<PathBuf> {
        let program =
            options.program.as_deref().filter(|it| foreign.program.as_deref() == Some(it));
        let program = program.and_then(|path| self.environment.program(path.as_os_str()));
        let usual = ProgramQuery::program(definition, None).locate(&self.environment);
        let program = program.filter(|path| usual.as_ref().ok() != Some(path));
        let solver = options.solver.as_deref().filter(|it| foreign.solver.as_deref() == Some(it));
        let solver = solver.and_then(|asked| self.foreign_solver(definition, asked));
        program.into_iter().chain(solver).collect()
    }

    /// The program of a solver that is asked for, unless its name alone would find the same
    /// program.
    fn foreign_solver(&self, definition: &Definition, asked: &str) -> Option<PathBuf> {
        let named = |name: &str| definition.solvers.iter().find(|solver| solver.name == name);
        if named(asked).is_some() {
            return None;
        }
        let both = asked.split_once('=').and_then(|(name, path)| Some((named(name)?, path)));
        let path = self.environment.program(both.map_or(asked, |(_, path)| path).as_ref())?;
        let is_usual = |solver: &SolverDefinition| {
            let usual = ProgramQuery::solver(solver, None).locate(&self.environment);
            usual.ok().as_ref() == Some(&path)
        };
        let is_usual = match both {
            Some((solver, _)) => is_usual(solver),
            None => definition.solvers.iter().any(is_usual),
        };
        (!is_usual).then_some(path)
    }

    /// Trusts what a definition of somebody else asks for permanently, and returns that. `None` if
    /// the definition is the user's own and needs no consent.
    pub fn trust(&self, definition: &Definition) -> Result<Option<Demand>, ResolveError> {
        let Some(path) = self.strangers_file(definition, true) else { return Ok(None) };
        let demand = self.demand(definition, path)?;
        trust::keep(&self.environment, &demand)?;
        Ok(Some(demand))
    }

    /// The file of the definition with this name, if it may be anybody's.
    pub fn borrowed(&self, name: &str) -> Option<&Path> {
        self.get(name).and_then(|definition| self.strangers_file(definition, false))
    }

    /// Whether the user trusts a definition, if it may be anybody's.
    pub(super) fn consent(&self, definition: &Definition) -> Result<Option<Consent>, ResolveError> {
        let Some(path) = self.strangers_file(definition, false) else { return Ok(None) };
        let demand = self.demand(definition, path)?;
        let standing = if self.trusts_everything {
            TrustState::Trusted
        } else {
            trust::standing(&self.environment, &demand)?
        };
        Ok(Some(Consent { standing, fingerprint: demand.fingerprint() }))
    }
}
