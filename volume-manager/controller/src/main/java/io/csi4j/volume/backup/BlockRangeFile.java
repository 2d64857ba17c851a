package io.csi4j.volume.backup;

import io.csi4j.client.metadata.BlockMetadataBatch;
import io.csi4j.client.model.Experimental;
import io.csi4j.client.model.SnapshotId;
import io.csi4j.volume.model.PluginId;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.Flow;
import java.util.function.Consumer;

/**
 * A file with the ranges of a block volume that a backup has to copy: those that changed between
 * two snapshots, or those that hold data in one. It is text, a range in a line, and ends with a
 * line that has its checksum; docs/storage.md describes it.
 *
 * <p>A file is written beside its place and put there in one step when it is complete and on the
 * medium. A crash leaves the file that was there before, or none, and perhaps one that ends in
 * {@code .part}, which the next writing replaces: after a crash it is written again as a whole.
 *
 * <pre>{@code
 * BlockRangeFile.Content content = new BlockRangeFile.Content(plugin, Optional.of(base), target);
 * BlockRangeFile written =
 *     BlockRangeFile.write(
 *         file, content, backups.changed(plugin, base, target, Optional.empty()));
 * host.accept(written.count() + " ranges, " + written.bytes() + " bytes");
 * BlockRangeFile.read(file).forEach(host::accept); // its checksum is right
 * }</pre>
 *
 * @since 1.0
 */
@Experimental
public final class BlockRangeFile {

  static final String FIRST_LINE = "csi4j ranges 1";

  private final Path file;
  private final Content content;
  private final Sums sums;

  private BlockRangeFile(Path file, Content content, Sums sums) {
    this.file = file;
    this.content = content;
    this.sums = sums;
  }

  /**
   * The snapshots that the ranges are of.
   *
   * @param plugin whose snapshots they are
   * @param base the older snapshot; nothing for all data of {@code target}
   * @param target the snapshot whose data is to be copied
   */
  public record Content(PluginId plugin, Optional<SnapshotId> base, SnapshotId target) {

    /** Checks that all parts are there. */
    public Content {
      Objects.requireNonNull(plugin, "plugin");
      Objects.requireNonNull(base, "base");
      Objects.requireNonNull(target, "target");
    }
  }

  /**
   * The figures of a file.
   *
   * @param volumeBytes the size of the volume; 0 if the plugin sent no range
   * @param count how many ranges
   * @param bytes how many bytes they have in all
   */
  record Sums(long volumeBytes, long count, long bytes) {}

  /**
   * Writes a file, and returns when it is on the medium. Batches are requested one after the other;
   * ranges that touch each other become one.
   *
   * @throws IOException if it cannot be written; what was in its place stays there
   * @throws io.csi4j.volume.controller.ControllerException if the plugin fails, as the publisher
   *     tells it; what was in its place stays there
   */
  public static BlockRangeFile write(
      Path file, Content content, Flow.Publisher<BlockMetadataBatch> ranges) throws IOException {
    Objects.requireNonNull(content, "content");
    return new BlockRangeFile(file, content, RangeWriting.write(file, content, ranges));
  }

  /**
   * Opens a file, and reads it once to check that it is complete and unchanged.
   *
   * @throws IOException if it cannot be read, is not such a file, or is not as it was written
   */
  public static BlockRangeFile read(Path file) throws IOException {
    RangeReading reading = new RangeReading(file);
    try (BufferedReader lines = Files.newBufferedReader(file, StandardCharsets.UTF_8)) {
      reading.check(lines);
    }
    return new BlockRangeFile(file, reading.content(), reading.sums());
  }

  /** Returns the snapshots that the ranges are of. */
  public Content content() {
    return content;
  }

  /** Returns the size of the volume; 0 if the plugin sent no range. */
  public long volumeBytes() {
    return sums.volumeBytes();
  }

  /** Returns how many ranges the file has. */
  public long count() {
    return sums.count();
  }

  /** Returns how many bytes the ranges have in all. */
  public long bytes() {
    return sums.bytes();
  }

  /**
   * Hands out every range, in ascending order, and reads no more of the file at a time than a
   * buffer holds.
   *
   * @throws IOException if the file cannot be read, or is another one than it was when it was
   *     opened; ranges that were handed out before may be wrong then
   */
  public void forEach(Consumer<BlockMetadataBatch.Range> each) throws IOException {
    RangeReading reading = new RangeReading(file);
    try (BufferedReader lines = Files.newBufferedReader(file, StandardCharsets.UTF_8)) {
      reading.each(lines, each);
    }
    if (!reading.content().equals(content) || !reading.sums().equals(sums)) {
      throw new IOException("The file " + file + " was replaced while it was read. Read it again.");
    }
  }
}
