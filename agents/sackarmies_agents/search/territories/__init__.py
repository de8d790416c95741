"""What search takes positions of Territories to be worth."""
