package io.csi4j.testkit.internal.server;

import com.google.protobuf.Message;
import io.csi4j.client.internal.proto.ControllerGrpc;
import io.csi4j.client.internal.proto.GroupControllerGrpc;
import io.csi4j.client.internal.proto.IdentityGrpc;
import io.csi4j.client.internal.proto.NodeGrpc;
import io.csi4j.client.internal.proto.SnapshotMetadataGrpc;
import io.csi4j.client.model.CsiOperation;
import io.grpc.MethodDescriptor;
import io.grpc.MethodDescriptor.PrototypeMarshaller;
import io.grpc.ServiceDescriptor;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * An operation as it is called on the wire.
 *
 * @param operation which
 * @param request an empty request
 */
record WireOperation(CsiOperation operation, Message request) {

  private static final Map<String, WireOperation> BY_PATH =
      Stream.of(
              IdentityGrpc.getServiceDescriptor(),
              ControllerGrpc.getServiceDescriptor(),
              GroupControllerGrpc.getServiceDescriptor(),
              SnapshotMetadataGrpc.getServiceDescriptor(),
              NodeGrpc.getServiceDescriptor())
          .map(ServiceDescriptor::getMethods)
          .flatMap(methods -> methods.stream().map(WireOperation::of))
          .collect(Collectors.toUnmodifiableMap(WireOperation::path, Function.identity()));

  /** The operation that is called by this {@code :path}. */
  static Optional<WireOperation> at(String path) {
    return Optional.ofNullable(BY_PATH.get(path));
  }

  private String path() {
    return "/" + operation.fullName();
  }

  private static WireOperation of(MethodDescriptor<?, ?> method) {
    CsiOperation operation =
        CsiOperation.ofRpcName(String.valueOf(method.getBareMethodName())).orElseThrow();
    PrototypeMarshaller<?> marshaller = (PrototypeMarshaller<?>) method.getRequestMarshaller();
    return new WireOperation(
        operation, (Message) Objects.requireNonNull(marshaller.getMessagePrototype()));
  }
}
