//! Symbols as numbers.

use std::hash::{BuildHasher, RandomState};
use std::ops::Range;
use std::sync::Arc;

use crate::script::{NodeId, Script};

/// The number of a symbol in its script: equal numbers are equal names without bars.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Symbol(u32);

impl Symbol {
    const NONE: Symbol = Symbol(u32::MAX);

    /// The number, smaller than [`Symbols::len`]. Symbols are numbered in the order in which they first occur.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// A table from names to symbols, with linear probing. At most half of its slots are taken.
#[derive(Clone, Debug)]
struct Table {
    /// Drawn anew for every script, so that nobody can write a file whose names all collide. Numbers of symbols do not
    /// depend on it.
    key: u64,
    /// The upper half of the hash, and the symbol.
    slots: Vec<(u32, Symbol)>,
}

const EMPTY: (u32, Symbol) = (0, Symbol::NONE);

impl Table {
    fn new() -> Table {
        Table { key: RandomState::new().hash_one(0), slots: vec![EMPTY; 1 << 10] }
    }

    /// The symbol for which `is_it` holds among those of a hash, or the slot to put it into.
    #[inline]
    fn find(&self, hash: u64, is_it: impl Fn(Symbol) -> bool) -> Result<Symbol, usize> {
        let mask = self.slots.len() - 1;
        let mut at = lower(hash) as usize & mask;
        loop {
            let (upper_half, symbol) = self.slots[at];
            if symbol == Symbol::NONE {
                return Err(at);
            }
            if upper_half == lower(hash >> 32) && is_it(symbol) {
                return Ok(symbol);
            }
            at = (at + 1) & mask;
        }
    }

    /// Makes room if half of the slots are taken by the symbols with these hashes.
    fn grow(&mut self, hashes: impl ExactSizeIterator<Item = u64>) {
        if hashes.len() * 2 < self.slots.len() {
            return;
        }
        self.slots = vec![EMPTY; self.slots.len() * 2];
        for (number, hash) in (0..).zip(hashes) {
            if let Err(slot) = self.find(hash, |_| false) {
                self.slots[slot] = (lower(hash >> 32), Symbol(number));
            }
        }
    }
}

#[inline]
fn hash_of(key: u64, name: &[u8]) -> u64 {
    let mut hash = key ^ name.len() as u64;
    let mut chunks = name.chunks_exact(8);
    for chunk in &mut chunks {
        hash = mix(hash, word_of(chunk));
    }
    mix(mix(hash, word_of(chunks.remainder())), key)
}

#[expect(clippy::cast_possible_truncation, reason = "only these bits are wanted")]
const fn lower(number: u64) -> u32 {
    number as u32
}

/// Multiplies to twice the width and folds.
#[inline]
#[expect(clippy::cast_possible_truncation, reason = "only these bits are wanted")]
fn mix(hash: u64, word: u64) -> u64 {
    const ODD: u64 = 0x9e37_79b9_7f4a_7c15;
    let product = u128::from(hash ^ word) * u128::from(hash.rotate_left(32) ^ ODD);
    (product as u64) ^ ((product >> 64) as u64)
}

/// Up to eight bytes as a number.
#[inline]
fn word_of(bytes: &[u8]) -> u64 {
    let mut word = [0; 8];
    word[..bytes.len()].copy_from_slice(bytes);
    u64::from_le_bytes(word)
}

/// The symbols of a script, made once per script: four bytes per node, and 24 to 40 per symbol.
#[derive(Clone, Debug)]
pub struct Symbols {
    source: Arc<[u8]>,
    of_nodes: Vec<Symbol>,
    places: Vec<Range<u32>>,
    table: Table,
}

impl Symbols {
    /// Numbers the symbols of a script.
    pub fn new(script: &Script) -> Symbols {
        let mut symbols = Symbols {
            source: Arc::clone(script.source()),
            of_nodes: Vec::with_capacity(script.nodes().len()),
            places: Vec::new(),
            table: Table::new(),
        };
        for (id, node) in (0..).zip(script.nodes()) {
            let symbol = script.symbol(id).map_or(Symbol::NONE, |name| {
                let bars = u32::from(script.text(id).len() > name.len());
                symbols.number(name, node.start + bars..node.end - bars)
            });
            symbols.of_nodes.push(symbol);
        }
        symbols
    }

    fn number(&mut self, name: &[u8], place: Range<u32>) -> Symbol {
        let hash = hash_of(self.table.key, name);
        let slot = match self.table.find(hash, |symbol| self.name(symbol) == name) {
            Ok(symbol) => return symbol,
            Err(slot) => slot,
        };
        let symbol = Symbol(u32::try_from(self.places.len()).unwrap_or(u32::MAX));
        self.places.push(place);
        self.table.slots[slot] = (lower(hash >> 32), symbol);
        let Symbols { source, places, table, .. } = self;
        let key = table.key;
        table.grow(places.iter().map(|place| hash_of(key, name_at(source, place))));
        symbol
    }

    /// The number of different symbols.
    pub fn len(&self) -> usize {
        self.places.len()
    }

    /// Whether the script has no symbol.
    pub fn is_empty(&self) -> bool {
        self.places.is_empty()
    }

    /// The symbol that a node is, if it is one.
    pub fn at(&self, node: NodeId) -> Option<Symbol> {
        self.of_nodes.get(node as usize).copied().filter(|symbol| *symbol != Symbol::NONE)
    }

    /// The name of a symbol, without bars.
    pub fn name(&self, symbol: Symbol) -> &[u8] {
        self.places.get(symbol.index()).map_or(b"", |place| name_at(&self.source, place))
    }

    /// The symbol with a name, which is without bars.
    pub fn find(&self, name: &[u8]) -> Option<Symbol> {
        let hash = hash_of(self.table.key, name);
        self.table.find(hash, |symbol| self.name(symbol) == name).ok()
    }
}

fn name_at<'a>(source: &'a [u8], place: &Range<u32>) -> &'a [u8] {
    source.get(place.start as usize..place.end as usize).unwrap_or_default()
}
