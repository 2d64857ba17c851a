package io.csi4j.testkit.internal.server;

import com.google.protobuf.ByteString;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Message;
import com.google.protobuf.UnknownFieldSet;
import io.csi4j.client.internal.proto.GetPluginInfoResponse;
import io.csi4j.testkit.fault.Fault.WrongAnswer;
import io.csi4j.testkit.internal.journal.ProtoMessage;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Turns right answers into wrong answers. This class is stateless. */
final class WrongAnswers {

  /** Just more than 4 MiB, the default limit of gRPC clients. */
  private static final int OVERSIZE = (4 << 20) + 1;

  private static final int UNKNOWN_FIELD = 4711;
  private static final String LOOP = "loop";
  private static final byte[] MALFORMED = {-1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1};
  private static final Set<String> IDS =
      Set.of("volume_id", "snapshot_id", "group_snapshot_id", "node_id");

  private WrongAnswers() {}

  /**
   * Returns the request for which the plugin does the work. For a looping page, the request lacks
   * its page token: the plugin never issued such a token, and would refuse it.
   */
  static Message request(WrongAnswer wrong, Message request) {
    FieldDescriptor token = field(request, "starting_token");
    return wrong == WrongAnswer.LOOPING_PAGE && token != null
        ? request.toBuilder().clearField(token).build()
        : request;
  }

  static List<Message> messages(WrongAnswer wrong, Message request, List<Message> right) {
    return switch (wrong) {
      case EMPTY ->
          right.stream().<Message>map(message -> message.getDefaultInstanceForType()).toList();
      case OTHER_ID -> right.stream().map(WrongAnswers::otherIds).toList();
      case LOOPING_PAGE -> right.stream().map(page -> looping(request, page)).toList();
      case NO_MESSAGE, MALFORMED -> List.of();
      case TWO_MESSAGES -> right.isEmpty() ? right : List.of(right.get(0), right.get(0));
      case OVERSIZED -> right;
    };
  }

  static List<byte[]> bytes(WrongAnswer wrong, List<Message> messages) {
    return switch (wrong) {
      case MALFORMED -> List.of(MALFORMED.clone());
      case OVERSIZED -> messages.stream().map(message -> padded(message).toByteArray()).toList();
      default -> messages.stream().map(Message::toByteArray).toList();
    };
  }

  private static Message padded(Message message) {
    UnknownFieldSet.Field padding =
        UnknownFieldSet.Field.newBuilder()
            .addLengthDelimited(ByteString.copyFrom(new byte[OVERSIZE]))
            .build();
    return message.toBuilder()
        .setUnknownFields(UnknownFieldSet.newBuilder().addField(UNKNOWN_FIELD, padding).build())
        .build();
  }

  private static Message looping(Message request, Message page) {
    FieldDescriptor asked = field(request, "starting_token");
    FieldDescriptor next = field(page, "next_token");
    if (asked == null || next == null) {
      return page;
    }
    String token = (String) request.getField(asked);
    if (token.isEmpty()) {
      String first = (String) page.getField(next);
      token = first.isEmpty() ? LOOP : first;
    }
    return page.toBuilder().setField(next, token).build();
  }

  private static Message otherIds(Message message) {
    return ProtoMessage.rebuilt(message, (field, value) -> isId(field) ? "other-" + value : value);
  }

  private static boolean isId(FieldDescriptor field) {
    return IDS.contains(field.getName())
        || (field.getContainingType().equals(GetPluginInfoResponse.getDescriptor())
            && field.getName().equals("name"));
  }

  private static @Nullable FieldDescriptor field(Message message, String name) {
    return message.getDescriptorForType().findFieldByName(name);
  }
}
