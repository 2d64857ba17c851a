package io.csi4j.volume.internal.journal;

import io.csi4j.volume.state.HostIdentity;
import io.csi4j.volume.state.HostIdentity.BootId;
import io.csi4j.volume.state.HostIdentity.HostId;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import org.jspecify.annotations.Nullable;

/**
 * The first record of a segment, and one more for each owner that goes on writing into it.
 *
 * @param format the version of the format; the only part that every version can read
 * @param number the number of the segment
 * @param capacity the bytes that the segment was made with
 * @param host where its owner runs
 */
record Header(int format, int number, long capacity, HostIdentity host) {

  /** The version that this code writes. */
  static final int FORMAT = 1;

  private static final EntryName NAME = new EntryName(EntryName.HEADER, "header");

  static Header of(int number, long capacity, HostIdentity host) {
    return new Header(FORMAT, number, capacity, host);
  }

  Entry entry(long seq, long epoch) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (DataOutputStream out = new DataOutputStream(bytes)) {
      out.writeShort(format);
      out.writeInt(number);
      out.writeLong(capacity);
      out.writeUTF(host.host().value());
      out.writeUTF(host.boot().value());
      out.writeLong(host.mountNamespace());
    } catch (IOException e) {
      throw new UncheckedIOException("Memory does not fail to be written", e);
    }
    return new Entry(seq, epoch, NAME, Entry.PUT, bytes.toByteArray());
  }

  /** The header in this record, or null when it is none. One that is newer has its format only. */
  static @Nullable Header from(Entry entry) {
    if (entry.name().kind() != EntryName.HEADER) {
      return null;
    }
    try (DataInputStream in = new DataInputStream(new ByteArrayInputStream(entry.value()))) {
      int format = in.readUnsignedShort();
      if (format > FORMAT) {
        return new Header(format, 0, 0, new HostIdentity(new HostId(""), new BootId(""), 0));
      }
      return new Header(
          format,
          in.readInt(),
          in.readLong(),
          new HostIdentity(new HostId(in.readUTF()), new BootId(in.readUTF()), in.readLong()));
    } catch (IOException | IllegalArgumentException e) {
      return null;
    }
  }

  boolean isNewer() {
    return format > FORMAT;
  }
}
