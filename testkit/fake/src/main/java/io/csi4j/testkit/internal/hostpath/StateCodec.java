package io.csi4j.testkit.internal.hostpath;

import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Message;
import com.google.protobuf.MessageLite;
import com.google.protobuf.Parser;
import io.csi4j.client.internal.proto.ControllerPublishVolumeRequest;
import io.csi4j.client.internal.proto.CreateSnapshotRequest;
import io.csi4j.client.internal.proto.CreateVolumeGroupSnapshotRequest;
import io.csi4j.client.internal.proto.CreateVolumeRequest;
import io.csi4j.client.internal.proto.NodePublishVolumeRequest;
import io.csi4j.client.internal.proto.NodeStageVolumeRequest;
import io.csi4j.client.internal.proto.Snapshot;
import io.csi4j.client.internal.proto.Volume;
import io.csi4j.client.internal.proto.VolumeGroupSnapshot;
import io.csi4j.client.internal.redaction.SpecFields;
import io.csi4j.testkit.internal.backend.State;
import io.csi4j.testkit.internal.backend.State.OnNode;
import io.csi4j.testkit.internal.backend.State.StoredGroup;
import io.csi4j.testkit.internal.backend.State.StoredSnapshot;
import io.csi4j.testkit.internal.backend.State.StoredVolume;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.Map;

/**
 * The state of a plugin as bytes: a line that says what it is, a version, the messages without
 * their secrets, and the SHA-256 of all that.
 */
final class StateCodec {

  private static final byte[] MAGIC = "csi4j-hostpath-state\n".getBytes(StandardCharsets.US_ASCII);
  private static final int VERSION = 1;
  private static final int DIGEST = 32;

  private StateCodec() {}

  /** The fault of bytes that are no state: a sentence, without a full stop. */
  static final class UnreadableException extends Exception {
    private static final long serialVersionUID = 1;

    UnreadableException(String why) {
      super(why, null, false, false);
    }
  }

  /** Writes one entry. */
  private interface Writer<K, V> {
    void write(K key, V value) throws IOException;
  }

  /** Reads one entry into a map. */
  private interface Reader {
    void read() throws IOException;
  }

  static byte[] encode(State state) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (DataOutputStream out = new DataOutputStream(bytes)) {
      out.write(MAGIC);
      out.writeInt(VERSION);
      each(out, state.volumes(), (id, it) -> write(out, id, "", it.volume(), it.asked()));
      each(out, state.snapshots(), (id, it) -> write(out, id, "", it.snapshot(), it.asked()));
      each(out, state.groups(), (id, it) -> write(out, id, "", it.group(), it.asked()));
      each(out, state.attachments(), (at, it) -> write(out, at.what(), at.node(), it));
      each(out, state.stagings(), (at, it) -> write(out, at.what(), at.node(), it));
      each(out, state.publications(), (at, it) -> write(out, at.what(), at.node(), it));
    } catch (IOException e) {
      throw new IllegalStateException("Memory does not refuse to be written to.", e);
    }
    byte[] body = bytes.toByteArray();
    byte[] whole = Arrays.copyOf(body, body.length + DIGEST);
    System.arraycopy(digest(body, body.length), 0, whole, body.length, DIGEST);
    return whole;
  }

  static State decode(byte[] whole) throws UnreadableException {
    int end = whole.length - DIGEST;
    if (end < MAGIC.length + Integer.BYTES
        || !Arrays.equals(whole, 0, MAGIC.length, MAGIC, 0, MAGIC.length)) {
      throw new UnreadableException("it is cut off, or no state of a plugin at all");
    }
    if (!Arrays.equals(digest(whole, end), Arrays.copyOfRange(whole, end, whole.length))) {
      throw new UnreadableException("its checksum is wrong, so it is cut off or damaged");
    }
    try (DataInputStream in =
        new DataInputStream(new ByteArrayInputStream(whole, MAGIC.length, end - MAGIC.length))) {
      int version = in.readInt();
      if (version != VERSION) {
        throw new UnreadableException(
            "it is of version " + version + ", and this plugin knows version " + VERSION + " only");
      }
      State state = State.empty();
      each(in, () -> volume(in, state.volumes()));
      each(in, () -> snapshot(in, state.snapshots()));
      each(in, () -> group(in, state.groups()));
      Parser<ControllerPublishVolumeRequest> attached = ControllerPublishVolumeRequest.parser();
      each(in, () -> state.attachments().put(onNode(in), message(in, attached)));
      Parser<NodeStageVolumeRequest> staged = NodeStageVolumeRequest.parser();
      each(in, () -> state.stagings().put(onNode(in), message(in, staged)));
      Parser<NodePublishVolumeRequest> published = NodePublishVolumeRequest.parser();
      each(in, () -> state.publications().put(onNode(in), message(in, published)));
      if (in.read() >= 0) {
        throw new UnreadableException("it is longer than what it holds");
      }
      return state;
    } catch (IOException e) {
      throw new UnreadableException("what it holds does not fit together");
    }
  }

  private static void volume(DataInputStream in, Map<String, StoredVolume> into)
      throws IOException {
    OnNode at = onNode(in);
    Volume volume = message(in, Volume.parser());
    into.put(at.what(), new StoredVolume(volume, message(in, CreateVolumeRequest.parser())));
  }

  private static void snapshot(DataInputStream in, Map<String, StoredSnapshot> into)
      throws IOException {
    OnNode at = onNode(in);
    Snapshot snapshot = message(in, Snapshot.parser());
    into.put(at.what(), new StoredSnapshot(snapshot, message(in, CreateSnapshotRequest.parser())));
  }

  private static void group(DataInputStream in, Map<String, StoredGroup> into) throws IOException {
    OnNode at = onNode(in);
    VolumeGroupSnapshot group = message(in, VolumeGroupSnapshot.parser());
    into.put(
        at.what(), new StoredGroup(group, message(in, CreateVolumeGroupSnapshotRequest.parser())));
  }

  private static <K, V> void each(DataOutputStream out, Map<K, V> map, Writer<K, V> writer)
      throws IOException {
    out.writeInt(map.size());
    for (Map.Entry<K, V> entry : map.entrySet()) {
      writer.write(entry.getKey(), entry.getValue());
    }
  }

  private static void each(DataInputStream in, Reader reader) throws IOException {
    for (int left = in.readInt(); left > 0; left--) {
      reader.read();
    }
  }

  private static void write(DataOutputStream out, String what, String node, Message... messages)
      throws IOException {
    bytes(out, what.getBytes(StandardCharsets.UTF_8));
    bytes(out, node.getBytes(StandardCharsets.UTF_8));
    for (Message message : messages) {
      bytes(out, withoutSecrets(message).toByteArray());
    }
  }

  private static void bytes(DataOutputStream out, byte[] bytes) throws IOException {
    out.writeInt(bytes.length);
    out.write(bytes);
  }

  private static OnNode onNode(DataInputStream in) throws IOException {
    String what = new String(bytes(in), StandardCharsets.UTF_8);
    return new OnNode(what, new String(bytes(in), StandardCharsets.UTF_8));
  }

  private static <M extends MessageLite> M message(DataInputStream in, Parser<M> parser)
      throws IOException {
    return parser.parseFrom(bytes(in));
  }

  private static byte[] bytes(DataInputStream in) throws IOException {
    int length = in.readInt();
    byte[] bytes = in.readNBytes(Math.max(0, length));
    if (bytes.length != length) {
      throw new IOException("cut off");
    }
    return bytes;
  }

  /** The author of the message should have left them out; a file is no place to rely on that. */
  private static Message withoutSecrets(Message message) {
    Message.Builder clean = message.toBuilder();
    for (FieldDescriptor field : message.getAllFields().keySet()) {
      if (SpecFields.isSecret(field)) {
        clean.clearField(field);
      }
    }
    return clean.build();
  }

  private static byte[] digest(byte[] bytes, int length) {
    try {
      MessageDigest sha = MessageDigest.getInstance("SHA-256");
      sha.update(bytes, 0, length);
      return sha.digest();
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("Every Java platform has SHA-256.", e);
    }
  }
}
