"""A model behind an endpoint: the connection, what its errors mean and teach, what is known of models by name."""

from typing import TYPE_CHECKING

from text.face import lazy

if TYPE_CHECKING:
    from models.endpoint.failure import Failure as Failure
    from models.endpoint.failure import parsed as parsed
    from models.endpoint.listing import read_listing as read_listing
    from models.endpoint.model import EndpointModel as EndpointModel
    from models.endpoint.presets import preset as preset
    from models.endpoint.transport import Endpoint as Endpoint
    from models.endpoint.trial import try_model as try_model
else:
    __getattr__ = lazy(
        __name__,
        Endpoint="transport",
        EndpointModel="model",
        Failure="failure",
        parsed="failure",
        preset="presets",
        read_listing="listing",
        try_model="trial",
    )
