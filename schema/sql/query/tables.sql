-- the tables and views that SQL can ask, column by column
SELECT "table", "column", type, meaning FROM table_column ORDER BY rowid
