package io.csi4j.client.scripted;

import com.google.protobuf.Message;
import io.csi4j.client.internal.proto.ControllerGrpc;
import io.csi4j.client.internal.proto.GroupControllerGrpc;
import io.csi4j.client.internal.proto.IdentityGrpc;
import io.csi4j.client.internal.proto.NodeGrpc;
import io.csi4j.client.internal.proto.SnapshotMetadataGrpc;
import io.csi4j.client.model.CsiOperation;
import io.grpc.MethodDescriptor;
import io.grpc.ServiceDescriptor;
import io.grpc.protobuf.ProtoMethodDescriptorSupplier;
import io.grpc.protobuf.ProtoUtils;
import java.util.List;

/** The generated side of every operation. */
public final class Wire {

  /** The five services as protoc generated them. */
  public static final List<ServiceDescriptor> SERVICES =
      List.of(
          IdentityGrpc.getServiceDescriptor(),
          ControllerGrpc.getServiceDescriptor(),
          GroupControllerGrpc.getServiceDescriptor(),
          SnapshotMetadataGrpc.getServiceDescriptor(),
          NodeGrpc.getServiceDescriptor());

  private Wire() {}

  /** The generated method of {@code operation}. */
  @SuppressWarnings("unchecked")
  public static MethodDescriptor<Message, Message> method(CsiOperation operation) {
    return SERVICES.stream()
        .flatMap(service -> service.getMethods().stream())
        .filter(method -> method.getFullMethodName().equals(operation.fullName()))
        .map(method -> (MethodDescriptor<Message, Message>) method)
        .findFirst()
        .orElseThrow(() -> new AssertionError("no generated method for " + operation));
  }

  /** An empty request of {@code operation}. */
  public static Message request(CsiOperation operation) {
    return prototype(method(operation).getRequestMarshaller());
  }

  /** An empty answer of {@code operation}. */
  public static Message response(CsiOperation operation) {
    return prototype(method(operation).getResponseMarshaller());
  }

  /** The protobuf descriptor of {@code operation}. */
  public static com.google.protobuf.Descriptors.MethodDescriptor descriptor(
      CsiOperation operation) {
    Object schema = method(operation).getSchemaDescriptor();
    return ((ProtoMethodDescriptorSupplier) schema).getMethodDescriptor();
  }

  private static Message prototype(MethodDescriptor.Marshaller<Message> marshaller) {
    return ((MethodDescriptor.PrototypeMarshaller<Message>) marshaller).getMessagePrototype();
  }

  /** A marshaller for messages like {@code prototype}. */
  public static <T extends Message> MethodDescriptor.Marshaller<T> marshaller(T prototype) {
    return ProtoUtils.marshaller(prototype);
  }
}
