//! The commands that are known, and what they are for.

/// What a command is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Class {
    /// Declares or defines names.
    Declaration,
    /// Adds to the problem.
    Assertion,
    /// Has the solver answer.
    Check,
    /// Opens, closes or empties scopes.
    Scope,
    /// Sets an option, the logic or a note.
    Setting,
    /// Only prints something.
    Output,
    /// Ends the script.
    End,
    /// Reads another file.
    File,
    /// Not known.
    Unknown,
}

macro_rules! kinds {
    ($($class:ident: $($name:literal $kind:ident,)*;)*) => {
        /// A command, by its name.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum Kind {
            $($(#[doc = concat!("`", $name, "`")] $kind,)*)*
            /// A command with another name, or a list that is no command.
            Other,
            /// Bytes over 127 between commands, such as an invisible space: Z3 reports each byte and goes on. They are an atom
            /// at the top level, kept because the messages are part of what the solver says.
            Stray,
        }

        impl Kind {
            /// All known commands.
            pub const ALL: &[Kind] = &[$($(Kind::$kind,)*)*];

            /// The command of a name, which is without bars.
            pub fn of(name: &[u8]) -> Kind {
                // Bytes have no literal patterns that a macro could make of names.
                match std::str::from_utf8(name).unwrap_or_default() {
                    $($($name => Kind::$kind,)*)*
                    _ => Kind::Other,
                }
            }

            /// Its name; empty for other commands.
            pub const fn name(self) -> &'static str {
                match self {
                    $($(Kind::$kind => $name,)*)*
                    Kind::Other | Kind::Stray => "",
                }
            }

            /// What it is for.
            pub const fn class(self) -> Class {
                match self {
                    $($(Kind::$kind => Class::$class,)*)*
                    Kind::Other | Kind::Stray => Class::Unknown,
                }
            }
        }
    };
}

kinds! {
    Declaration:
        "declare-fun" DeclareFun, "declare-const" DeclareConst, "declare-sort" DeclareSort,
        "declare-datatype" DeclareDatatype, "declare-datatypes" DeclareDatatypes,
        "declare-codatatype" DeclareCodatatype, "declare-codatatypes" DeclareCodatatypes,
        "declare-sort-parameter" DeclareSortParameter,
        "define-fun" DefineFun, "define-fun-rec" DefineFunRec, "define-funs-rec" DefineFunsRec,
        "define-const" DefineConst, "define-sort" DefineSort,;
    Assertion:
        "assert" Assert, "assert-not" AssertNot, "assert-soft" AssertSoft, "minimize" Minimize,
        "maximize" Maximize, "declare-rel" DeclareRel, "declare-var" DeclareVar, "rule" Rule,;
    Check:
        "check-sat" CheckSat, "check-sat-assuming" CheckSatAssuming, "check-sat-using" CheckSatUsing,
        "query" Query, "apply" Apply,;
    Scope:
        "push" Push, "pop" Pop, "reset" Reset, "reset-assertions" ResetAssertions,;
    Setting:
        "set-option" SetOption, "set-logic" SetLogic, "set-info" SetInfo,;
    Output:
        "get-info" GetInfo, "get-model" GetModel, "get-value" GetValue, "get-unsat-core" GetUnsatCore,
        "get-unsat-assumptions" GetUnsatAssumptions, "get-proof" GetProof,
        "get-assignment" GetAssignment, "get-option" GetOption, "get-assertions" GetAssertions,
        "get-objectives" GetObjectives, "echo" Echo, "labels" Labels, "eval" Eval, "display" Display,
        "simplify" Simplify, "help" Help, "help-tactic" HelpTactic,;
    End:
        "exit" Exit,;
    File:
        "include" Include,;
}

impl Kind {
    /// Whether nothing may move across the command: all but declarations, `assert` and `set-info`.
    pub const fn is_barrier(self) -> bool {
        !matches!(self, Kind::Assert | Kind::SetInfo) && !matches!(self.class(), Class::Declaration)
    }

    /// Whether it has the solver answer `sat`, `unsat` or `unknown`.
    pub const fn is_check(self) -> bool {
        matches!(self.class(), Class::Check) && !matches!(self, Kind::Apply)
    }
}
