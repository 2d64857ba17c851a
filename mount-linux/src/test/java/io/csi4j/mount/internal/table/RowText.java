package io.csi4j.mount.internal.table;

import io.csi4j.mount.model.KernelText;
import io.csi4j.mount.model.MountFlag;
import io.csi4j.mount.model.MountRecord;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** Writes mounts as the kernel writes them in its text table. */
final class RowText {

  private RowText() {}

  static byte[] table(List<MountRecord> records) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    records.forEach(record -> out.writeBytes(row(record)));
    return out.toByteArray();
  }

  /** One row, with the newline at its end. */
  static byte[] row(MountRecord record) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    ascii(out, record.id() + " " + record.parentId() + " " + record.device() + " ");
    escaped(out, record.root().bytes(), "");
    out.write(' ');
    escaped(out, record.path().bytes(), "");
    ascii(out, record.isReadOnly() ? " ro" : " rw");
    for (MountFlag flag : record.flags()) {
      ascii(out, flag == MountFlag.READ_ONLY ? "" : "," + flag.word());
    }
    record.propagation().peerGroup().ifPresent(group -> ascii(out, " shared:" + group));
    record.propagation().master().ifPresent(group -> ascii(out, " master:" + group));
    if (record.propagation().unbindable()) {
      ascii(out, " unbindable");
    }
    for (KernelText tag : record.propagation().unknown()) {
      out.write(' ');
      out.writeBytes(tag.bytes());
    }
    ascii(out, " - ");
    escaped(out, record.type().bytes(), "#");
    out.write(' ');
    escaped(out, record.source().bytes(), "#");
    String comma = " ";
    for (KernelText option : record.options()) {
      ascii(out, comma);
      out.writeBytes(option.bytes());
      comma = ",";
    }
    ascii(out, record.options().isEmpty() ? " \n" : "\n");
    return out.toByteArray();
  }

  private static void ascii(ByteArrayOutputStream out, String text) {
    out.writeBytes(text.getBytes(StandardCharsets.US_ASCII));
  }

  private static void escaped(ByteArrayOutputStream out, byte[] text, String more) {
    for (byte b : text) {
      if ((" \t\n\\" + more).indexOf(b) >= 0) {
        ascii(out, String.format("\\%03o", b));
      } else {
        out.write(b);
      }
    }
  }
}
