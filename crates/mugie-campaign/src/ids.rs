//! The ids of rows in the store, one type for each table, so that one cannot be taken for another.

use rusqlite::ToSql;
use rusqlite::types::{FromSql, FromSqlResult, ToSqlOutput, ValueRef};

/// Defines the type of the ids of a table.
macro_rules! row_id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(
            /// The id as it is in the file.
            pub i64,
        );

        impl ToSql for $name {
            fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
                self.0.to_sql()
            }
        }

        impl FromSql for $name {
            fn column_result(value: ValueRef<'_>) -> FromSqlResult<$name> {
                i64::column_result(value).map($name)
            }
        }
    };
}

row_id! {
    /// The id of a seed.
    SeedId
}
row_id! {
    /// The id of a batch.
    BatchId
}
row_id! {
    /// The id of a tool.
    ToolId
}
row_id! {
    /// The id of a mutant.
    MutantId
}
