package io.csi4j.testkit.internal.journal;

import com.google.protobuf.InvalidProtocolBufferException;
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

/** An operation with the types of its messages: an empty request, and an empty answer. */
public record WireOperation(
    CsiOperation operation, Message request, Message answer, boolean streams) {

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

  public static Optional<WireOperation> at(String path) {
    return Optional.ofNullable(BY_PATH.get(path));
  }

  public static WireOperation of(CsiOperation operation) {
    return Objects.requireNonNull(BY_PATH.get("/" + operation.fullName()));
  }

  /**
   * Parses the bytes as a message of the same type as {@code empty}. The result is empty if the
   * bytes are not such a message.
   */
  public static Optional<Message> parsed(Message empty, byte[] bytes) {
    try {
      return Optional.of(empty.getParserForType().parseFrom(bytes));
    } catch (InvalidProtocolBufferException e) {
      return Optional.empty();
    }
  }

  public String path() {
    return "/" + operation.fullName();
  }

  private static WireOperation of(MethodDescriptor<?, ?> method) {
    CsiOperation operation =
        CsiOperation.ofRpcName(String.valueOf(method.getBareMethodName())).orElseThrow();
    return new WireOperation(
        operation,
        prototype(method.getRequestMarshaller()),
        prototype(method.getResponseMarshaller()),
        !method.getType().serverSendsOneMessage());
  }

  private static Message prototype(MethodDescriptor.Marshaller<?> marshaller) {
    return (Message)
        Objects.requireNonNull(((PrototypeMarshaller<?>) marshaller).getMessagePrototype());
  }
}
