package io.csi4j.volume.wire;

import io.csi4j.volume.internal.wire.Envelopes;
import io.csi4j.volume.internal.wire.WireJson;
import java.util.Arrays;

/**
 * One message between a node and a control plane: a kind, and bytes that travel as they are. A
 * message may be passed on by a version that does not know all of it: nothing in it is lost.
 *
 * <pre>{@code
 * ClusterMessage message = ClusterMessage.decode(received);
 * switch (message.kind()) {
 *   case NODE_REPORT -> log.accept(NodeWire.report(message));
 *   case REFUSAL -> log.accept(Wire.refusal(message).message().line());
 *   default -> next.accept(message.encode()); // also if only a newer version knows the kind
 * }
 * }</pre>
 *
 * @since 1.0
 */
public final class ClusterMessage {

  /** The largest message, in bytes. */
  public static final int MAX_SIZE = Envelopes.MAX_SIZE;

  private final byte[] bytes;
  private final Kind kind;

  /** The kinds of messages. */
  public enum Kind {
    /** A node reports its plugins, its volumes, and what it has done. */
    NODE_REPORT,
    /** A node gets the list of the uses that it is wanted to have, and of those that leave. */
    NODE_ORDERS,
    /** A node is asked to mount one volume. */
    MOUNT_REQUEST,
    /** A claim was granted. */
    CLAIM_GRANT,
    /** A node proves that it has nothing of a use any more. */
    NODE_RECEIPT,
    /** A node asks whether a claim is current. */
    STANDING_QUESTION,
    /** Whether a claim is current. */
    CLAIM_STANDING,
    /** A node asks whether the volume of a claim exists. */
    VOLUME_QUESTION,
    /** Whether a volume exists. */
    VOLUME_VERDICT,
    /** The volumes of a node, with how far each is. */
    VOLUME_LIST,
    /** The known faults of a volume. */
    VOLUME_HEALTH,
    /** A request was not met. */
    REFUSAL,
    /** A newer version knows what it is. It can be passed on, and not be read. */
    UNRECOGNIZED
  }

  private ClusterMessage(byte[] bytes, Kind kind) {
    this.bytes = bytes;
    this.kind = kind;
  }

  /**
   * Returns the message in these bytes, which are copied.
   *
   * @throws io.csi4j.volume.model.WireException if they are no message, or too many
   */
  public static ClusterMessage decode(byte[] bytes) {
    byte[] copy = bytes.clone();
    return new ClusterMessage(
        copy, Envelopes.kind(copy).map(Kind::valueOf).orElse(Kind.UNRECOGNIZED));
  }

  /** Returns the bytes, which are those that were decoded. */
  public byte[] encode() {
    return bytes.clone();
  }

  /** Returns what it is. */
  public Kind kind() {
    return kind;
  }

  /**
   * Returns the message as JSON, for people. Of contexts only the keys are in it, mount flags and
   * secrets are not. Fields of a newer version are listed by their numbers.
   */
  public String json() {
    return WireJson.of(bytes);
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof ClusterMessage that && Arrays.equals(bytes, that.bytes);
  }

  @Override
  public int hashCode() {
    return Arrays.hashCode(bytes);
  }

  /** Its kind and its size. */
  @Override
  public String toString() {
    return "ClusterMessage[" + kind + ", " + bytes.length + " bytes]";
  }
}
