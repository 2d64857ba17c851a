package io.csi4j.volume.wire;

import io.csi4j.volume.internal.wire.Envelopes;
import io.csi4j.volume.internal.wire.WireJson;
import java.util.Arrays;

/**
 * A message between a node and a control plane: a kind, and bytes that are transported unchanged. A
 * process can pass on a message even if it does not understand all fields; no field is lost.
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

  /** The maximum size of a message, in bytes. */
  public static final int MAX_SIZE = Envelopes.MAX_SIZE;

  private final byte[] bytes;
  private final Kind kind;

  /** The kinds of messages. */
  public enum Kind {
    /** A node reports its plugins, its volumes, and its results. */
    NODE_REPORT,
    /** A node receives the uses that it must mount and the uses that it must release. */
    NODE_ORDERS,
    /** A node is requested to mount one volume. */
    MOUNT_REQUEST,
    /** A claim was granted. */
    CLAIM_GRANT,
    /** A node proves that a use is no longer mounted on it. */
    NODE_RECEIPT,
    /** A node queries whether a claim is current. */
    STANDING_QUESTION,
    /** The answer whether a claim is current. */
    CLAIM_STANDING,
    /** A node queries whether the volume of a claim exists. */
    VOLUME_QUESTION,
    /** The answer whether a volume exists. */
    VOLUME_VERDICT,
    /** The volumes of a node, with their states. */
    VOLUME_LIST,
    /** The known faults of a volume. */
    VOLUME_HEALTH,
    /** A request failed. */
    REFUSAL,
    /** A kind that only a newer version knows. The message can be passed on, but not read. */
    UNRECOGNIZED
  }

  private ClusterMessage(byte[] bytes, Kind kind) {
    this.bytes = bytes;
    this.kind = kind;
  }

  /**
   * Returns the message in these bytes, which are copied.
   *
   * @throws io.csi4j.volume.model.WireException if the bytes are not a message, or the message is
   *     too large
   */
  public static ClusterMessage decode(byte[] bytes) {
    byte[] copy = bytes.clone();
    return new ClusterMessage(
        copy, Envelopes.kind(copy).map(Kind::valueOf).orElse(Kind.UNRECOGNIZED));
  }

  /**
   * Returns the bytes of the message. For a decoded message, these are the bytes that were decoded.
   */
  public byte[] encode() {
    return bytes.clone();
  }

  /** Returns the kind of the message. */
  public Kind kind() {
    return kind;
  }

  /**
   * Returns the message as JSON, for people to read. The text contains only the keys of contexts,
   * and neither mount flags nor secrets. Fields of a newer version are listed by their numbers.
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

  /** Returns the kind and the size of the message. */
  @Override
  public String toString() {
    return "ClusterMessage[" + kind + ", " + bytes.length + " bytes]";
  }
}
