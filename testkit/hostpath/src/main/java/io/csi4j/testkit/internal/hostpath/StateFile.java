package io.csi4j.testkit.internal.hostpath;

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
import io.csi4j.testkit.internal.backend.State;
import io.csi4j.testkit.internal.backend.State.OnNode;
import io.csi4j.testkit.internal.backend.State.StoredGroup;
import io.csi4j.testkit.internal.backend.State.StoredSnapshot;
import io.csi4j.testkit.internal.backend.State.StoredVolume;
import io.csi4j.testkit.internal.journal.ProtoMessage;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.IdentityHashMap;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BiFunction;
import java.util.function.Function;

/**
 * The file with the state of a plugin. It is replaced atomically, so that a crash leaves the old
 * file or the new one; an unreadable file is never replaced.
 *
 * <p>The file contains a header line, a version, the messages without their secrets, and the
 * SHA-256 of all of these.
 */
final class StateFile {

  private static final byte[] MAGIC = "csi4j-hostpath-state\n".getBytes(StandardCharsets.US_ASCII);
  private static final int VERSION = 1;
  private static final int DIGEST = 32;

  private final Layout layout;
  private final ReentrantLock lock = new ReentrantLock();

  /**
   * Bytes of each message that was saved last, guarded by the file's lock. Messages never change,
   * and a call changes few of them, so the others need not be encoded again.
   */
  private IdentityHashMap<Message, byte[]> saved = new IdentityHashMap<>();

  StateFile(Layout layout) {
    this.layout = layout;
  }

  /**
   * Loads the state that was saved last. In a directory without any volume, creates a first, empty
   * state.
   */
  State load() throws IOException {
    lock.lock();
    try {
      if (!Files.exists(layout.state(), LinkOption.NOFOLLOW_LINKS)) {
        return first();
      }
      return decode(Files.readAllBytes(layout.state()));
    } catch (UnreadableException e) {
      throw unreadable(
          String.valueOf(e.getMessage()),
          "Nothing was changed. Use the plugin that wrote it, restore a copy");
    } finally {
      lock.unlock();
    }
  }

  private State first() throws IOException {
    if (!Layout.names(layout.volumes()).isEmpty() || !Layout.names(layout.snapshots()).isEmpty()) {
      throw unreadable(
          "it is missing, but volumes or snapshots exist beside it", "Restore a copy of it");
    }
    State empty = State.empty();
    save(empty);
    return empty;
  }

  private IOException unreadable(String why, String advice) {
    return new IOException(
        "The state in %s cannot be read: %s. %s, or start with another directory."
            .formatted(layout.state(), why, advice));
  }

  /** Replaces the file. When this method returns, the new file survives a loss of power. */
  void save(State state) throws IOException {
    lock.lock();
    try {
      IdentityHashMap<Message, byte[]> current = new IdentityHashMap<>();
      byte[] bytes =
          encode(
              state,
              message -> {
                byte[] known = saved.get(message);
                byte[] its = known == null ? plain(message) : known;
                current.put(message, its);
                return its;
              });
      saved = current;
      Path next = layout.data().resolve("state.next");
      try (FileChannel out =
          FileChannel.open(
              next,
              StandardOpenOption.CREATE,
              StandardOpenOption.TRUNCATE_EXISTING,
              StandardOpenOption.WRITE)) {
        ByteBuffer left = ByteBuffer.wrap(bytes);
        while (left.hasRemaining()) {
          out.write(left);
        }
        out.force(true);
      }
      Files.move(
          next,
          layout.state(),
          StandardCopyOption.ATOMIC_MOVE,
          StandardCopyOption.REPLACE_EXISTING);
      sync(layout.data());
    } finally {
      lock.unlock();
    }
  }

  /** Makes the names in a directory survive a loss of power. */
  static void sync(Path directory) throws IOException {
    try (FileChannel open = FileChannel.open(directory, StandardOpenOption.READ)) {
      open.force(true);
    }
  }

  /** Thrown for bytes that are not a state; the message is a sentence without a full stop. */
  static final class UnreadableException extends Exception {
    private static final long serialVersionUID = 1;

    UnreadableException(String why) {
      super(why, null, false, false);
    }
  }

  private interface Writer<K, V> {
    void write(K key, V value) throws IOException;
  }

  /** Reads one entry, whose key has been read, into a map. */
  private interface Reader {
    void read(OnNode at) throws IOException;
  }

  static byte[] encode(State state) {
    return encode(state, StateFile::plain);
  }

  private static byte[] encode(State state, Function<Message, byte[]> encoder) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (DataOutputStream out = new DataOutputStream(bytes)) {
      out.write(MAGIC);
      out.writeInt(VERSION);
      each(out, state.volumes(), (id, it) -> write(out, encoder, id, "", it.volume(), it.asked()));
      each(
          out,
          state.snapshots(),
          (id, it) -> write(out, encoder, id, "", it.snapshot(), it.asked()));
      each(out, state.groups(), (id, it) -> write(out, encoder, id, "", it.group(), it.asked()));
      each(out, state.attachments(), (at, it) -> write(out, encoder, at.what(), at.node(), it));
      each(out, state.stagings(), (at, it) -> write(out, encoder, at.what(), at.node(), it));
      each(out, state.publications(), (at, it) -> write(out, encoder, at.what(), at.node(), it));
    } catch (IOException e) {
      throw new IllegalStateException("Writing to memory failed.", e);
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
      throw new UnreadableException("it is incomplete, or not the state of a plugin");
    }
    if (!Arrays.equals(digest(whole, end), Arrays.copyOfRange(whole, end, whole.length))) {
      throw new UnreadableException("its checksum is wrong: it is incomplete or damaged");
    }
    try (DataInputStream in =
        new DataInputStream(new ByteArrayInputStream(whole, MAGIC.length, end - MAGIC.length))) {
      int version = in.readInt();
      if (version != VERSION) {
        throw new UnreadableException(
            "it has version "
                + version
                + ", but this plugin supports version"
                + " "
                + VERSION
                + " only");
      }
      State state = State.empty();
      pairs(in, state.volumes(), Volume.parser(), CreateVolumeRequest.parser(), StoredVolume::new);
      pairs(
          in,
          state.snapshots(),
          Snapshot.parser(),
          CreateSnapshotRequest.parser(),
          StoredSnapshot::new);
      pairs(
          in,
          state.groups(),
          VolumeGroupSnapshot.parser(),
          CreateVolumeGroupSnapshotRequest.parser(),
          StoredGroup::new);
      each(
          in,
          at -> state.attachments().put(at, message(in, ControllerPublishVolumeRequest.parser())));
      each(in, at -> state.stagings().put(at, message(in, NodeStageVolumeRequest.parser())));
      each(in, at -> state.publications().put(at, message(in, NodePublishVolumeRequest.parser())));
      if (in.read() >= 0) {
        throw new UnreadableException("it is longer than its content");
      }
      return state;
    } catch (IOException e) {
      throw new UnreadableException("its content is inconsistent");
    }
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
      reader.read(onNode(in));
    }
  }

  private static <A extends Message, B extends Message, V> void pairs(
      DataInputStream in,
      Map<String, V> map,
      Parser<A> first,
      Parser<B> second,
      BiFunction<A, B, V> pair)
      throws IOException {
    each(in, at -> map.put(at.what(), pair.apply(message(in, first), message(in, second))));
  }

  private static void write(
      DataOutputStream out,
      Function<Message, byte[]> encoder,
      String what,
      String node,
      Message... messages)
      throws IOException {
    bytes(out, what.getBytes(StandardCharsets.UTF_8));
    bytes(out, node.getBytes(StandardCharsets.UTF_8));
    for (Message message : messages) {
      bytes(out, encoder.apply(message));
    }
  }

  private static byte[] plain(Message message) {
    // The creator of the message should have removed the secrets; a file must not rely on that.
    return ProtoMessage.withoutSecrets(message).toByteArray();
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

  /** Returns the SHA-256 of the first bytes. */
  static byte[] digest(byte[] bytes, int length) {
    try {
      MessageDigest sha = MessageDigest.getInstance("SHA-256");
      sha.update(bytes, 0, length);
      return sha.digest();
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("Every Java platform has SHA-256.", e);
    }
  }
}
