//! The toy language: one sum per line.

use std::any::Any;
use std::sync::Arc;

use mugie_core::{
    About, Applied, ApplyError, Defect, Diagnostic, EditTrace, Excerpt, FileText, Hash, Language,
    LanguageOptions, Mutant, Place, Program, Rejected, Seed, Set, SourceFile, SourceText, UnitId,
    Words,
};

/// The toy language.
#[derive(Debug)]
pub(crate) struct Toy;

const SWAP: usize = 0;
const NOTE: usize = 2;

static OPERATORS: [&About; 3] = [
    &About {
        code: None,
        name: "swap-lines",
        set: Set::Paper,
        weight: 1,
        doc: " Swaps two lines.\n\n Sound because sums do not depend on each other.\n",
    },
    &About {
        code: None,
        name: "swap-summands",
        set: Set::Paper,
        weight: 1,
        doc: " Swaps two summands.\n\n Sound because addition is commutative.\n",
    },
    &About {
        code: None,
        name: "add-note",
        set: Set::Extended,
        weight: 1,
        doc: " Adds a note to a line.\n\n Wrong on purpose in a line called `crooked`, which does not \
              read back, and in one called `stuck`, where it has a place and cannot be done: to show \
              what becomes of such mutants.\n",
    },
];

impl Language for Toy {
    fn id(&self) -> &'static str {
        "toy"
    }

    fn title(&self) -> &'static str {
        "Toy"
    }

    fn extensions(&self) -> &'static [&'static str] {
        &["toy"]
    }

    fn words(&self) -> &'static Words {
        &Words { program: "toy program", unit: "line", goal: "sum" }
    }

    fn operators(&self) -> &'static [&'static About] {
        &OPERATORS
    }

    fn swap_operator(&self) -> Option<&'static About> {
        Some(OPERATORS[SWAP])
    }

    fn read(
        &self,
        files: Vec<SourceText>,
        options: &LanguageOptions,
    ) -> Result<Box<dyn Seed>, Rejected> {
        let mut sources = Vec::new();
        let mut lines = Vec::new();
        for SourceText { name, bytes } in files {
            let text = String::from_utf8_lossy(&bytes).into_owned();
            for (number, line) in (1..).zip(text.lines()) {
                let line = line.trim();
                if line.is_empty() || line.starts_with('#') {
                    continue;
                }
                let Some(sum) = Sum::parse(line) else {
                    return Err(Rejected { errors: vec![wrong(&name, number, line)] });
                };
                lines.push(Line { id: UnitId::of_seed(lines.len()), sum, noted: false });
            }
            sources.push((name, text));
        }
        let program = Arc::new(Lines { lines });
        Ok(Box::new(ToySeed { sources, program, options: options.clone() }))
    }

    fn comment(&self) -> &'static str {
        "#"
    }
}

fn wrong(file: &str, line: u32, text: &str) -> Diagnostic {
    Diagnostic {
        kind: "syntax",
        message: "this is not a sum".to_owned(),
        help: Some("write `name: 1 + 2 = 3`".to_owned()),
        place: Some(Excerpt::new(file, (line, 1), text, text.len())),
        related: Vec::new(),
    }
}

/// `name: a + b = c`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Sum {
    pub(crate) name: String,
    pub(crate) numbers: [u64; 3],
}

impl Sum {
    pub(crate) fn parse(line: &str) -> Option<Sum> {
        let line = line.split_once('#').map_or(line, |(line, _)| line);
        let (name, rest) = line.split_once(':')?;
        let (summands, sum) = rest.split_once('=')?;
        let (first, second) = summands.split_once('+')?;
        let number = |text: &str| text.trim().parse().ok();
        let numbers = [number(first)?, number(second)?, number(sum)?];
        Some(Sum { name: name.trim().to_owned(), numbers })
    }

    fn text(&self) -> String {
        let [first, second, sum] = self.numbers;
        format!("{}: {first} + {second} = {sum}", self.name)
    }
}

#[derive(Clone, Debug)]
struct Line {
    id: UnitId,
    sum: Sum,
    noted: bool,
}

impl Line {
    fn text(&self) -> String {
        let mark = if self.sum.name == "crooked" { " noted" } else { " # noted" };
        format!("{}{}\n", self.sum.text(), if self.noted { mark } else { "" })
    }
}

/// A program under mutation.
#[derive(Clone, Debug)]
struct Lines {
    lines: Vec<Line>,
}

impl Program for Lines {
    fn texts(&self) -> Vec<FileText> {
        let text = self.lines.iter().map(Line::text).collect();
        vec![FileText { part: 0, text }]
    }

    fn hash(&self) -> Hash {
        *blake3::hash(self.texts()[0].text.as_bytes()).as_bytes()
    }

    fn unit_count(&self) -> usize {
        self.lines.len()
    }

    fn unit_order(&self) -> Vec<usize> {
        self.lines.iter().filter_map(|line| line.id.own_number()).collect()
    }

    fn unit(&self, id: &UnitId) -> Option<usize> {
        self.lines.iter().position(|line| line.id == *id)
    }

    fn describe(&self, unit: usize) -> String {
        format!("line `{}`", self.lines[unit].sum.name)
    }

    fn operators(&self) -> &'static [&'static About] {
        &OPERATORS
    }

    fn places(&self, operator: usize) -> u64 {
        let lines = self.lines.len() as u64;
        if operator == SWAP { lines * lines.saturating_sub(1) / 2 } else { lines }
    }

    fn places_inside(&self, operator: usize, _: usize) -> u64 {
        u64::from(operator != SWAP)
    }

    fn place(&self, operator: usize, number: u64) -> Option<Place> {
        let number = usize::try_from(number).ok()?;
        let id = |index: usize| self.lines[index].id.clone();
        if operator != SWAP {
            return Some(Place::Inside { unit: id(number), at: 0 });
        }
        let mut pairs = (0..self.lines.len()).flat_map(|j| (0..j).map(move |i| (i, j)));
        let (first, second) = pairs.nth(number)?;
        Some(Place::Swap { swap: (id(first), id(second)) })
    }

    fn apply_at(&self, operator: usize, place: Place) -> Result<Applied, ApplyError> {
        let index = |id: &UnitId| self.unit(id).ok_or_else(|| ApplyError::NoUnit(id.to_string()));
        let mut program = self.clone();
        let words = match &place {
            Place::Swap { swap: (first, second) } => {
                let (first, second) = (index(first)?, index(second)?);
                program.lines.swap(first, second);
                format!("swap {} with {}", self.describe(first), self.describe(second))
            }
            Place::Inside { unit, .. } if operator == NOTE => {
                let index = index(unit)?;
                if self.lines[index].sum.name == "stuck" {
                    let (operator, words) = ("add-note".to_owned(), self.describe(index));
                    return Err(ApplyError::NoPlace { operator, words });
                }
                program.lines[index].noted = true;
                format!("add a note to {}", self.describe(index))
            }
            Place::Inside { unit, .. } => {
                let index = index(unit)?;
                program.lines[index].sum.numbers.swap(0, 1);
                format!("swap the summands in {}", self.describe(index))
            }
            other => {
                let (operator, words) = (OPERATORS[operator].id().to_owned(), format!("{other:?}"));
                return Err(ApplyError::NoPlace { operator, words });
            }
        };
        let edit = mugie_core::Edit::new(OPERATORS[operator].id(), place, words);
        Ok(Applied { program: Arc::new(program), edit, change: EditTrace::new(()) })
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

#[derive(Debug)]
struct ToySeed {
    sources: Vec<(String, String)>,
    program: Arc<dyn Program>,
    options: LanguageOptions,
}

impl ToySeed {
    /// The source text, line by line.
    fn lines(&self) -> impl Iterator<Item = &str> {
        let lines = self.sources.iter().flat_map(|(_, text)| text.lines());
        lines.filter(|line| Sum::parse(line).is_some())
    }
}

impl Seed for ToySeed {
    fn language(&self) -> &'static dyn Language {
        &Toy
    }

    fn options(&self) -> &LanguageOptions {
        &self.options
    }

    fn sources(&self) -> Vec<SourceFile<'_>> {
        self.sources.iter().map(|(name, text)| SourceFile { name, text }).collect()
    }

    fn program(&self) -> &Arc<dyn Program> {
        &self.program
    }

    fn validate(&self, mutant: &Mutant) -> Result<(), Defect> {
        // The printed text must parse to the same sums.
        let (text, lines) = (&mutant.program.texts()[0].text, mutant.program.as_any());
        let read = text.lines().map(Sum::parse);
        let is_right = lines.downcast_ref::<Lines>().is_some_and(|Lines { lines }| {
            read.eq(lines.iter().map(|line| Some(line.sum.clone())))
        });
        let edit = mutant.edits.last().filter(|_| !is_right);
        edit.map_or(Ok(()), |edit| Err(Defect::after(edit, "a line does not read back")))
    }

    fn code_lines(&self) -> usize {
        self.lines().count()
    }
}
