package io.csi4j.client.internal;

import com.google.protobuf.Message;
import io.csi4j.client.internal.message.MessageCalls;
import io.csi4j.client.internal.proto.ControllerGrpc;
import io.csi4j.client.internal.proto.GroupControllerGrpc;
import io.csi4j.client.internal.proto.IdentityGrpc;
import io.csi4j.client.internal.proto.NodeGrpc;
import io.csi4j.client.internal.proto.SnapshotMetadataGrpc;
import io.csi4j.client.model.CsiOperation;
import io.grpc.MethodDescriptor;
import io.grpc.ServiceDescriptor;
import java.util.function.Function;

/**
 * Calls with protobuf messages, over the call path.
 *
 * @param calls the call path
 */
public record MessageClient(ServiceCalls calls) implements MessageCalls {

  @Override
  public Message call(CsiOperation operation, Message request) {
    return calls.blocking(
        new UnaryRpc<Message, Message, Message, Message>(
            operation, method(operation), Function.identity(), (asked, answer, findings) -> answer),
        request);
  }

  @SuppressWarnings("unchecked") // a generated method takes and gives messages
  private static MethodDescriptor<Message, Message> method(CsiOperation operation) {
    MethodDescriptor<?, ?> found =
        service(operation).getMethods().stream()
            .filter(each -> each.getFullMethodName().equals(operation.fullName()))
            .findFirst()
            .orElseThrow();
    if (!found.getType().serverSendsOneMessage()) {
      throw new IllegalArgumentException(
          operation.rpcName() + " has a stream of answers. Call it as a stream.");
    }
    return (MethodDescriptor<Message, Message>) found;
  }

  private static ServiceDescriptor service(CsiOperation operation) {
    return switch (operation.service()) {
      case IDENTITY -> IdentityGrpc.getServiceDescriptor();
      case CONTROLLER -> ControllerGrpc.getServiceDescriptor();
      case GROUP_CONTROLLER -> GroupControllerGrpc.getServiceDescriptor();
      case SNAPSHOT_METADATA -> SnapshotMetadataGrpc.getServiceDescriptor();
      case NODE -> NodeGrpc.getServiceDescriptor();
    };
  }
}
