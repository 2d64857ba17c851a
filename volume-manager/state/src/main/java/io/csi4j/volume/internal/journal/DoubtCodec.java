package io.csi4j.volume.internal.journal;

import io.csi4j.volume.state.Doubt;
import io.csi4j.volume.state.StateKey;
import io.csi4j.volume.state.StateReason;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;

/** Writes doubts, so that they outlive a crash before a person has looked into them. */
final class DoubtCodec {

  /** So many keys fit into a record. */
  private static final int KEYS_OF_A_RECORD = 400;

  private DoubtCodec() {}

  /** Returns the doubts, each with as many keys as fit into a record. */
  static List<Doubt> split(List<Doubt> doubts) {
    List<Doubt> small = new ArrayList<>();
    for (Doubt doubt : doubts) {
      List<StateKey> keys = List.copyOf(doubt.keys());
      int from = 0;
      do {
        int to = Math.min(keys.size(), from + KEYS_OF_A_RECORD);
        List<StateKey> some = keys.subList(from, to);
        small.add(
            doubt.hidesUnknownKeys()
                ? Doubt.aboutMoreThan(doubt.reason(), some, doubt.text())
                : Doubt.about(doubt.reason(), some, doubt.text()));
        from = to;
      } while (from < keys.size());
    }
    return small;
  }

  static byte[] encode(Doubt doubt) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (DataOutputStream out = new DataOutputStream(bytes)) {
      out.writeUTF(doubt.reason().name());
      out.writeBoolean(doubt.hidesUnknownKeys());
      out.writeUTF(doubt.text());
      out.writeShort(doubt.keys().size());
      for (StateKey key : doubt.keys()) {
        out.writeByte(EntryName.of(key).kind());
        out.writeUTF(key.id());
      }
    } catch (IOException e) {
      throw new UncheckedIOException("Memory does not fail to be written", e);
    }
    return bytes.toByteArray();
  }

  /** The doubt in these bytes. What a later version doubts is a doubt of damage for this one. */
  static Doubt decode(byte[] bytes) {
    List<StateKey> keys = new ArrayList<>();
    try (DataInputStream in = new DataInputStream(new ByteArrayInputStream(bytes))) {
      StateReason reason = StateReason.valueOf(in.readUTF());
      boolean more = in.readBoolean();
      String text = in.readUTF();
      int count = in.readUnsignedShort();
      for (int i = 0; i < count; i++) {
        new EntryName(in.readUnsignedByte(), in.readUTF()).key().ifPresent(keys::add);
      }
      return more ? Doubt.aboutMoreThan(reason, keys, text) : Doubt.about(reason, keys, text);
    } catch (IOException | IllegalArgumentException e) {
      return Doubt.aboutMoreThan(
          StateReason.JOURNAL_DAMAGED, keys, "An earlier doubt cannot be read. Reconcile all.");
    }
  }
}
