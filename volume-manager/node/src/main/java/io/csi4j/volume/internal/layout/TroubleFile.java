package io.csi4j.volume.internal.layout;

import io.csi4j.client.model.VolumeId;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.OperatorMessage;
import io.csi4j.volume.model.OperatorMessage.Part;
import io.csi4j.volume.model.PluginId;
import io.csi4j.volume.model.VolumeIdentity;
import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/**
 * Content of the trouble file, in which a manager lists the problems of its volumes for readers of
 * its directory. No decision depends on the file: it may be old, damaged or missing. After the
 * first line, the file has eight lines for each volume:
 *
 * <pre>
 * csi4j trouble 1
 * plugin hostpath.csi.example
 * handle vol-1
 * since 2026-12-01T04:18:32Z
 * code CLEANUP_NEEDS_HELP
 * doing …
 * seen …
 * safe …
 * next …
 * </pre>
 *
 * <p>Backslashes and line breaks are written as {@code \\} and {@code \n}. The file contains no
 * secrets.
 */
public final class TroubleFile {

  /**
   * Maximum number of volumes in the file. If more have trouble, the volumes with the oldest
   * trouble are listed.
   */
  public static final int MOST = 1000;

  /**
   * Maximum number of bytes that are read. The last, incomplete volume of a longer file is ignored.
   */
  static final int LIMIT = 4 << 20;

  private static final String HEAD = "csi4j trouble 1";
  private static final List<String> FIELDS =
      List.of("plugin", "handle", "since", "code", "doing", "seen", "safe", "next");

  private TroubleFile() {}

  /**
   * The problem of a volume.
   *
   * @param volume the volume
   * @param message the message about the problem
   * @param since the time at which the trouble began, with this code or another code
   */
  public record Entry(VolumeIdentity volume, OperatorMessage message, Instant since) {}

  /** Returns the content for these volumes. */
  static byte[] content(List<Entry> entries) {
    StringBuilder out = new StringBuilder(HEAD).append('\n');
    for (Entry entry : entries) {
      OperatorMessage message = entry.message();
      List<String> values =
          List.of(
              entry.volume().plugin().value(),
              entry.volume().handle().value(),
              entry.since().toString(),
              message.code().name(),
              message.doing().text(),
              message.seen().text(),
              message.safe().text(),
              message.next().text());
      for (int i = 0; i < FIELDS.size(); i++) {
        out.append(FIELDS.get(i)).append(' ').append(escaped(values.get(i))).append('\n');
      }
    }
    return out.toString().getBytes(StandardCharsets.UTF_8);
  }

  /**
   * Returns the volumes in this content, up to the first damaged line. Volumes with a code that
   * this version does not know are left out.
   */
  static List<Entry> read(byte[] content) {
    List<Entry> entries = new ArrayList<>();
    // Text after the last line break is an incomplete line, and is ignored.
    String[] lines = new String(content, StandardCharsets.UTF_8).split("\n", -1);
    if (!lines[0].equals(HEAD)) {
      return entries;
    }
    for (int at = 1; at + FIELDS.size() < lines.length; at += FIELDS.size()) {
      List<String> values = new ArrayList<>();
      for (int i = 0; i < FIELDS.size(); i++) {
        String name = FIELDS.get(i) + " ";
        if (!lines[at + i].startsWith(name)) {
          return entries;
        }
        values.add(unescaped(lines[at + i].substring(name.length())));
      }
      try {
        entries.add(entry(values));
      } catch (IllegalArgumentException | DateTimeException notUnderstood) {
        // A newer version may have written a code that this version does not know.
      }
    }
    return entries;
  }

  private static Entry entry(List<String> values) {
    return new Entry(
        new VolumeIdentity(PluginId.of(values.get(0)), VolumeId.of(values.get(1))),
        new OperatorMessage(
            OperatorCode.valueOf(values.get(3)),
            new Part(values.get(4)),
            new Part(values.get(5)),
            new Part(values.get(6)),
            new Part(values.get(7))),
        Instant.parse(values.get(2)));
  }

  private static String escaped(String text) {
    return text.replace("\\", "\\\\").replace("\n", "\\n");
  }

  private static String unescaped(String text) {
    StringBuilder out = new StringBuilder();
    for (int at = 0; at < text.length(); at++) {
      char c = text.charAt(at);
      if (c == '\\' && at + 1 < text.length()) {
        at++;
        out.append(text.charAt(at) == 'n' ? '\n' : text.charAt(at));
      } else {
        out.append(c);
      }
    }
    return out.toString();
  }
}
