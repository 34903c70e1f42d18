"""All attacks, in the order of the table."""

from fuzz.attack import Attack
from fuzz.commands import Commands
from fuzz.kills import Kills
from fuzz.loaders import Loaders
from fuzz.readers import Readers
from fuzz.settings import Settings
from fuzz.specs import Specs
from fuzz.threads import Threads

ATTACKS: tuple[type[Attack], ...] = (Readers, Specs, Loaders, Commands, Kills, Threads, Settings)
