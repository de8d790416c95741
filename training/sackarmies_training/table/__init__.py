"""The table: what people who play or watch are asked, shown and told, in the terminal and in the browser."""
