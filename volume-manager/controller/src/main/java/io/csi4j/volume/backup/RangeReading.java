package io.csi4j.volume.backup;

import io.csi4j.client.metadata.BlockMetadataBatch;
import io.csi4j.client.model.SnapshotId;
import io.csi4j.volume.backup.BlockRangeFile.Content;
import io.csi4j.volume.backup.BlockRangeFile.Sums;
import io.csi4j.volume.model.PluginId;
import java.io.BufferedReader;
import java.io.CharArrayWriter;
import java.io.IOException;
import java.net.URLDecoder;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Parses a file of ranges line by line and rejects any deviation from the format. */
final class RangeReading {

  /** Longer than any valid line: three times the bytes of an id, plus a keyword. */
  private static final int LONGEST_LINE = 16_384;

  private static final Pattern RANGE = Pattern.compile("(0|[1-9][0-9]{0,18}) ([1-9][0-9]{0,18})");
  private static final Pattern VOLUME = Pattern.compile("volume (0|[1-9][0-9]{0,18})");
  private static final Pattern END =
      Pattern.compile("end (0|[1-9][0-9]{0,18}) (0|[1-9][0-9]{0,18}) ([0-9a-f]{64})");

  private final Path file;
  private final MessageDigest digest = RangeWriting.digest();
  private @Nullable Content content;
  private @Nullable Sums sums;
  private long number;

  RangeReading(Path file) {
    this.file = file;
  }

  Content content() {
    return Objects.requireNonNull(content);
  }

  Sums sums() {
    return Objects.requireNonNull(sums);
  }

  void check(BufferedReader lines) throws IOException {
    each(lines, range -> {});
  }

  void each(BufferedReader lines, Consumer<BlockMetadataBatch.Range> use) throws IOException {
    try {
      head(lines);
      ranges(lines, use);
    } catch (CharacterCodingException e) {
      throw wrong("it is not UTF-8 text");
    }
  }

  private void head(BufferedReader lines) throws IOException {
    String first = line(lines);
    if (!first.equals(BlockRangeFile.FIRST_LINE)) {
      throw wrong(
          first.startsWith("csi4j ranges ")
              ? "a newer version wrote it"
              : "it does not begin with '" + BlockRangeFile.FIRST_LINE + "'");
    }
    String plugin = named("plugin", line(lines));
    String next = line(lines);
    Optional<String> base =
        next.startsWith("base ") ? Optional.of(named("base", next)) : Optional.empty();
    String target = named("target", base.isPresent() ? line(lines) : next);
    try {
      content = new Content(PluginId.of(plugin), base.map(SnapshotId::of), SnapshotId.of(target));
    } catch (IllegalArgumentException e) {
      throw wrong("its header has an invalid name: " + e.getMessage());
    }
  }

  private void ranges(BufferedReader lines, Consumer<BlockMetadataBatch.Range> use)
      throws IOException {
    long count = 0;
    long bytes = 0;
    long reached = 0;
    while (true) {
      String line = line(lines);
      Matcher range = RANGE.matcher(line);
      if (!range.matches()) {
        end(line, lines, new Sums(0, count, bytes), reached);
        return;
      }
      BlockMetadataBatch.Range next =
          new BlockMetadataBatch.Range(number(range.group(1)), number(range.group(2)));
      if (next.offset() < reached || next.offset() > Long.MAX_VALUE - next.size()) {
        throw wrong("its ranges are not in ascending order");
      }
      reached = next.end();
      count++;
      bytes += next.size();
      use.accept(next);
    }
  }

  private void end(String line, BufferedReader lines, Sums seen, long reached) throws IOException {
    Matcher volume = VOLUME.matcher(line);
    if (!volume.matches()) {
      throw wrong("this is neither a range nor the end");
    }
    long volumeBytes = number(volume.group(1));
    if (volumeBytes > 0 && reached > volumeBytes) {
      throw wrong("its ranges go beyond the end of the volume");
    }
    byte[] sum = digest.digest();
    String last = line(lines);
    Matcher end = END.matcher(last);
    if (!end.matches()) {
      throw wrong("its last line is not complete");
    }
    if (!end.group(3).equals(HexFormat.of().formatHex(sum))) {
      throw wrong("its checksum does not match its content");
    }
    if (number(end.group(1)) != seen.count() || number(end.group(2)) != seen.bytes()) {
      throw wrong("its totals do not match its ranges");
    }
    if (lines.read() != -1) {
      throw wrong("there is data after its end");
    }
    sums = new Sums(volumeBytes, seen.count(), seen.bytes());
  }

  private long number(String digits) throws IOException {
    try {
      return Long.parseLong(digits);
    } catch (NumberFormatException tooLarge) {
      throw wrong("a number is too large");
    }
  }

  private String named(String word, String line) throws IOException {
    if (!line.startsWith(word + " ")) {
      throw wrong("there is no '" + word + "' where it is expected");
    }
    try {
      return URLDecoder.decode(line.substring(word.length() + 1), StandardCharsets.UTF_8);
    } catch (IllegalArgumentException e) {
      throw wrong("the value of '" + word + "' cannot be read");
    }
  }

  /** Reads the next line, which must end with a line feed. */
  private String line(BufferedReader lines) throws IOException {
    number++;
    CharArrayWriter line = new CharArrayWriter();
    for (int c = lines.read(); c != '\n'; c = lines.read()) {
      if (c == -1) {
        throw wrong("it ends too early");
      }
      line.append((char) c);
      if (line.size() > LONGEST_LINE) {
        throw wrong("a line is too long");
      }
    }
    String text = line.toString();
    digest.update((text + "\n").getBytes(StandardCharsets.UTF_8));
    return text;
  }

  private IOException wrong(String why) {
    return new IOException(
        "Reading the ranges in "
            + file
            + " failed at line "
            + number
            + ": "
            + why
            + ". Write the file again.");
  }
}
