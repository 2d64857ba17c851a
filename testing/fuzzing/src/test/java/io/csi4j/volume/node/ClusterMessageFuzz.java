package io.csi4j.volume.node;

import io.csi4j.fuzz.Finding;
import io.csi4j.volume.model.SecretsProvider;
import io.csi4j.volume.model.WireException;
import io.csi4j.volume.wire.ClusterMessage;
import io.csi4j.volume.wire.Wire;
import java.util.Arrays;

/**
 * Messages between nodes and control planes: bytes are refused in one line, or are a message that
 * is passed on as it is and shown in lines of text; a value that is read from it is the same after
 * it was written and read again.
 */
public final class ClusterMessageFuzz {

  private ClusterMessageFuzz() {}

  /** Reads the bytes as a message, and the message as a value. */
  public static void fuzzerTestOneInput(byte[] input) {
    try {
      ClusterMessage message = ClusterMessage.decode(input);
      Finding.unless(
          Arrays.equals(message.encode(), input), () -> "a message is passed on with other bytes");
      message.json().lines().forEach(Finding::unlessOneLine);
      // A text that is too long for its value is cut, and the cut is marked once.
      ClusterMessage first = writtenAgain(writtenAgain(message));
      Finding.unless(
          first.equals(writtenAgain(first)), () -> "a value is written in two ways: " + message);
    } catch (WireException refused) {
      Finding.unlessOneLine(String.valueOf(refused.getMessage()));
    }
  }

  private static ClusterMessage writtenAgain(ClusterMessage message) {
    return switch (message.kind()) {
      case NODE_REPORT -> NodeWire.report(NodeWire.report(message));
      case NODE_ORDERS ->
          NodeWire.orders(NodeWire.orders(message, (use, sent) -> SecretsProvider.none()));
      case MOUNT_REQUEST ->
          NodeWire.mount(
              NodeWire.mount(message, (use, sent) -> SecretsProvider.none()), SentSecrets.none());
      case CLAIM_GRANT -> Wire.grant(Wire.grant(message));
      case NODE_RECEIPT -> Wire.receipt(Wire.receipt(message));
      case STANDING_QUESTION -> Wire.standingQuestion(Wire.standingQuestion(message));
      case CLAIM_STANDING -> Wire.standing(Wire.standing(message));
      case VOLUME_QUESTION -> Wire.volumeQuestion(Wire.volumeQuestion(message));
      case VOLUME_VERDICT -> Wire.verdict(Wire.verdict(message));
      case VOLUME_LIST -> NodeWire.volumes(NodeWire.volumes(message));
      case VOLUME_HEALTH -> Wire.health(Wire.health(message));
      case REFUSAL -> Wire.refusal(Wire.refusal(message));
      case UNRECOGNIZED -> message;
    };
  }
}
