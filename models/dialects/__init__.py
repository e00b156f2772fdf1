"""Tools in words, for models and servers without tool calls; and calls that a model wrote into its
text.

The dialects are rows of assets/models/dialects.json; one parser reads them all.
"""

from models.dialects.marks import marks
from models.dialects.protocol import TextProtocol, describe
from models.dialects.reading import offer_of, only_announces, parse

__all__ = ["TextProtocol", "describe", "marks", "offer_of", "only_announces", "parse"]
