"""Playing in the browser: a local server that decides everything, and a page that draws what one seat may know."""
