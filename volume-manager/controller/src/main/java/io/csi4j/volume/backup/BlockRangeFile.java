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
 * two snapshots, or those that hold data in one. The file is text with one range per line and a
 * checksum in its last line; docs/storage.md describes the format.
 *
 * <p>A new file is written next to its final path and moved there in one step once it is complete
 * and on the medium. A crash leaves the previous file or none, and perhaps a file that ends in
 * {@code .part}; the next write replaces the {@code .part} file and starts from the beginning.
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
   * The snapshots whose ranges the file holds.
   *
   * @param plugin the plugin of the snapshots
   * @param base the older snapshot; nothing for all data of {@code target}
   * @param target the snapshot whose data is to be copied
   */
  public record Content(PluginId plugin, Optional<SnapshotId> base, SnapshotId target) {

    /** Checks that all parts are set. */
    public Content {
      Objects.requireNonNull(plugin, "plugin");
      Objects.requireNonNull(base, "base");
      Objects.requireNonNull(target, "target");
    }
  }

  /**
   * The totals of a file.
   *
   * @param volumeBytes the size of the volume; 0 if the plugin sent no range
   * @param count the number of ranges
   * @param bytes the total number of bytes in the ranges
   */
  record Sums(long volumeBytes, long count, long bytes) {}

  /**
   * Writes a file and returns when it is on the medium. Batches are requested one at a time;
   * adjacent ranges are merged.
   *
   * @throws IOException if the file cannot be written; an existing file is left unchanged
   * @throws io.csi4j.volume.controller.ControllerException if the plugin fails, as the publisher
   *     reports it; an existing file is left unchanged
   */
  public static BlockRangeFile write(
      Path file, Content content, Flow.Publisher<BlockMetadataBatch> ranges) throws IOException {
    Objects.requireNonNull(content, "content");
    return new BlockRangeFile(file, content, RangeWriting.write(file, content, ranges));
  }

  /**
   * Opens a file and reads it once to check that it is complete and unchanged.
   *
   * @throws IOException if the file cannot be read, has another format, or was changed after it was
   *     written
   */
  public static BlockRangeFile read(Path file) throws IOException {
    RangeReading reading = new RangeReading(file);
    try (BufferedReader lines = Files.newBufferedReader(file, StandardCharsets.UTF_8)) {
      reading.check(lines);
    }
    return new BlockRangeFile(file, reading.content(), reading.sums());
  }

  /** Returns the snapshots whose ranges the file holds. */
  public Content content() {
    return content;
  }

  /** Returns the size of the volume; 0 if the plugin sent no range. */
  public long volumeBytes() {
    return sums.volumeBytes();
  }

  /** Returns the number of ranges in the file. */
  public long count() {
    return sums.count();
  }

  /** Returns the total number of bytes in the ranges. */
  public long bytes() {
    return sums.bytes();
  }

  /**
   * Passes every range to the consumer in ascending order; at most one buffer of the file is in
   * memory.
   *
   * @throws IOException if the file cannot be read or has changed since it was opened; ranges
   *     passed before that may be wrong
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
