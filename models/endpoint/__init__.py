"""A model behind an endpoint: the connection, what its errors mean and teach, what is known of
models by name."""

from typing import TYPE_CHECKING

from text.face import lazy

if TYPE_CHECKING:
    from models.endpoint.listing import read_listing as read_listing
    from models.endpoint.model import EndpointModel as EndpointModel
    from models.endpoint.presets import UNKNOWN_PRICE as UNKNOWN_PRICE
    from models.endpoint.presets import base_url as base_url
    from models.endpoint.presets import is_local as is_local
    from models.endpoint.presets import preset as preset
    from models.endpoint.transport import Endpoint as Endpoint
    from models.endpoint.trial import try_model as try_model
else:
    __getattr__ = lazy(__name__)
