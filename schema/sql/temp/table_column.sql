CREATE TABLE temp.table_column ( -- a column of a table or view
	"table" TEXT NOT NULL, -- its table or view
	"column" TEXT NOT NULL, -- its name
	type TEXT, -- INTEGER, TEXT or BOOLEAN; NULL of a view
	meaning TEXT -- what it says
);
