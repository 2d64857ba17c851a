#!/usr/bin/python3
"""A CSI plugin in Python: volumes are directories, mounted by bind mounts. To see how csi4j gets on with another gRPC.

    examples/plugin.py SOCKET DIRECTORY

Debian: python3-grpcio python3-protobuf protobuf-compiler-grpc libprotobuf-dev. Mounting needs root, or a user namespace.
It is an example, not a driver: it keeps nothing in mind but the directories, and has one mutex for all calls.
"""

import concurrent.futures
import hashlib
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import threading

import grpc

CONTRACT = pathlib.Path(__file__).resolve().parents[1] / "csi-client/client/src/main/proto"
generated = tempfile.TemporaryDirectory()
subprocess.run(
    ["protoc", f"-I{CONTRACT}", f"--python_out={generated.name}", f"--grpc_python_out={generated.name}"]
    + ["--plugin=protoc-gen-grpc_python=/usr/bin/grpc_python_plugin", "csi.proto"],
    check=True,
)
sys.path.insert(0, generated.name)
import csi_pb2 as csi  # noqa: E402
import csi_pb2_grpc as services  # noqa: E402

Mode = csi.VolumeCapability.AccessMode
MODES = (Mode.SINGLE_NODE_WRITER, Mode.SINGLE_NODE_READER_ONLY, Mode.SINGLE_NODE_SINGLE_WRITER, Mode.SINGLE_NODE_MULTI_WRITER)
SIZE = 1 << 30
one_at_a_time = threading.Lock()


def require(context, true, code, message):
    if not true:
        context.abort(code, message)


def check(context, request, *fields):
    for field in fields:
        value = getattr(request, field)
        given = request.HasField(field) if field == "volume_capability" else bool(value)
        require(context, given, grpc.StatusCode.INVALID_ARGUMENT, f"{field} is missing")
        if field.endswith(("_path", "_id")):
            require(context, len(value.encode()) <= 128, grpc.StatusCode.INVALID_ARGUMENT, f"{field} is too long")


def is_served(capability):
    return capability.HasField("mount") and capability.access_mode.mode in MODES


def is_mounted(path):
    return subprocess.run(["mountpoint", "-q", path]).returncode == 0


class Plugin(services.IdentityServicer, services.ControllerServicer, services.NodeServicer):
    def __init__(self, root):
        self.root = root

    def is_known(self, volume_id):
        # No other name leads to a directory, so that no id leads out of the root.
        return re.fullmatch("v-[0-9a-f]{32}", volume_id) and (self.root / volume_id).is_dir()

    def directory(self, context, volume_id):
        require(context, self.is_known(volume_id), grpc.StatusCode.NOT_FOUND, f"there is no volume {volume_id}")
        return self.root / volume_id

    def GetPluginInfo(self, request, context):
        return csi.GetPluginInfoResponse(name="python.csi4j.example", vendor_version="1")

    def GetPluginCapabilities(self, request, context):
        service = csi.PluginCapability.Service(type=csi.PluginCapability.Service.CONTROLLER_SERVICE)
        return csi.GetPluginCapabilitiesResponse(capabilities=[csi.PluginCapability(service=service)])

    def Probe(self, request, context):
        return csi.ProbeResponse()

    def ControllerGetCapabilities(self, request, context):
        offer = csi.ControllerServiceCapability
        kinds = (offer.RPC.CREATE_DELETE_VOLUME, offer.RPC.SINGLE_NODE_MULTI_WRITER)
        return csi.ControllerGetCapabilitiesResponse(capabilities=[offer(rpc=offer.RPC(type=kind)) for kind in kinds])

    def CreateVolume(self, request, context):
        check(context, request, "name", "volume_capabilities")
        served = all(map(is_served, request.volume_capabilities))
        require(context, served, grpc.StatusCode.INVALID_ARGUMENT, "such a volume is not made here")
        source = request.HasField("volume_content_source")
        require(context, not source, grpc.StatusCode.INVALID_ARGUMENT, "volumes have no sources here")
        least, most = request.capacity_range.required_bytes, request.capacity_range.limit_bytes
        lawful = least >= 0 and most >= 0 and (least <= most or not most)
        require(context, lawful, grpc.StatusCode.INVALID_ARGUMENT, "no volume can have such a size")
        with one_at_a_time:
            volume_id = "v-" + hashlib.sha256(request.name.encode()).hexdigest()[:32]
            size = self.root / (volume_id + ".size")
            if size.exists():
                fits = least <= int(size.read_text()) and (int(size.read_text()) <= most or not most)
                require(context, fits, grpc.StatusCode.ALREADY_EXISTS, "there is one of another size")
            else:
                (self.root / volume_id).mkdir(exist_ok=True)
                size.write_text(str(least or most or SIZE))
            volume = csi.Volume(volume_id=volume_id, capacity_bytes=int(size.read_text()))
            return csi.CreateVolumeResponse(volume=volume)

    def DeleteVolume(self, request, context):
        check(context, request, "volume_id")
        with one_at_a_time:
            if self.is_known(request.volume_id):
                subprocess.run(["rm", "-r", "--one-file-system", self.root / request.volume_id], check=True)
                (self.root / (request.volume_id + ".size")).unlink(missing_ok=True)
            return csi.DeleteVolumeResponse()

    def ValidateVolumeCapabilities(self, request, context):
        check(context, request, "volume_id", "volume_capabilities")
        self.directory(context, request.volume_id)
        if not all(map(is_served, request.volume_capabilities)):
            return csi.ValidateVolumeCapabilitiesResponse(message="mounts of one node alone")
        confirmed = csi.ValidateVolumeCapabilitiesResponse.Confirmed(
            volume_context=request.volume_context, volume_capabilities=request.volume_capabilities, parameters=request.parameters
        )
        return csi.ValidateVolumeCapabilitiesResponse(confirmed=confirmed)

    def NodeGetCapabilities(self, request, context):
        offer = csi.NodeServiceCapability
        kind = offer.RPC(type=offer.RPC.SINGLE_NODE_MULTI_WRITER)
        return csi.NodeGetCapabilitiesResponse(capabilities=[offer(rpc=kind)])

    def NodeGetInfo(self, request, context):
        return csi.NodeGetInfoResponse(node_id="here")

    def NodePublishVolume(self, request, context):
        check(context, request, "volume_id", "target_path", "volume_capability")
        served = is_served(request.volume_capability)
        require(context, served, grpc.StatusCode.INVALID_ARGUMENT, "volumes are not published so here")
        with one_at_a_time:
            directory = self.directory(context, request.volume_id)
            pathlib.Path(request.target_path).mkdir(exist_ok=True)
            if is_mounted(request.target_path):
                same = os.access(request.target_path, os.W_OK) != request.readonly
                require(context, same, grpc.StatusCode.ALREADY_EXISTS, "it is published there in the other way")
            else:
                subprocess.run(["mount", "--bind", directory, request.target_path], check=True)
                if request.readonly:
                    subprocess.run(["mount", "-o", "remount,bind,ro", request.target_path], check=True)
            return csi.NodePublishVolumeResponse()

    def NodeUnpublishVolume(self, request, context):
        check(context, request, "volume_id", "target_path")
        with one_at_a_time:
            path = pathlib.Path(request.target_path)
            if is_mounted(path):
                subprocess.run(["umount", path], check=True)
            if path.is_dir():
                path.rmdir()
            return csi.NodeUnpublishVolumeResponse()


def main():
    socket, root = sys.argv[1:]
    pathlib.Path(root).mkdir(parents=True, exist_ok=True)
    pathlib.Path(socket).unlink(missing_ok=True)
    server = grpc.server(concurrent.futures.ThreadPoolExecutor(16))
    plugin = Plugin(pathlib.Path(root).resolve())
    services.add_IdentityServicer_to_server(plugin, server)
    services.add_ControllerServicer_to_server(plugin, server)
    services.add_NodeServicer_to_server(plugin, server)
    server.add_insecure_port(f"unix:{socket}")
    server.start()
    print(f"The plugin listens at unix://{socket}", flush=True)
    server.wait_for_termination()


if __name__ == "__main__":
    main()
