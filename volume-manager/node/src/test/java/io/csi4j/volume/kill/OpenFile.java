package io.csi4j.volume.kill;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;

/**
 * A file in a mounted volume that a workload keeps open and writes lines to. The kernel refuses to
 * unmount the volume beneath it, and a mount that was made again would not be the one it writes to.
 */
final class OpenFile implements AutoCloseable {

  private final FileChannel channel;
  private final Path content;
  private final long mount;
  private long lines;

  private OpenFile(FileChannel channel, Path content, long mount, long lines) {
    this.channel = channel;
    this.content = content;
    this.mount = mount;
    this.lines = lines;
  }

  /**
   * Opens one, behind what it has already.
   *
   * @param target the directory that the workload sees
   * @param content the same directory, where the plugin keeps it
   * @param mount the number of the mount at the target
   */
  static OpenFile in(Path target, Path content, String name, long mount) {
    try {
      Path kept = content.resolve(name);
      long lines = Files.exists(kept) ? Files.readAllLines(kept).size() : 0;
      FileChannel channel =
          FileChannel.open(
              target.resolve(name), StandardOpenOption.CREATE, StandardOpenOption.APPEND);
      return new OpenFile(channel, kept, mount, lines);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The number of the mount that it was opened through. */
  long mount() {
    return mount;
  }

  /** Writes the next line; gives what is wrong with that. */
  List<String> write() {
    try {
      channel.write(ByteBuffer.wrap((lines + "\n").getBytes(StandardCharsets.US_ASCII)));
      lines++;
      return List.of();
    } catch (IOException e) {
      return List.of("Writing to " + content.getFileName() + " failed: " + e);
    }
  }

  /** Gives what is wrong with what the plugin keeps of it. */
  List<String> check() {
    try {
      List<String> kept = Files.readAllLines(content);
      for (int line = 0; line < kept.size(); line++) {
        if (!kept.get(line).equals(String.valueOf(line))) {
          return List.of("Line " + line + " of " + content + " is " + kept.get(line));
        }
      }
      return kept.size() == lines
          ? List.of()
          : List.of(content + " has " + kept.size() + " lines of " + lines);
    } catch (IOException e) {
      return List.of(e.toString());
    }
  }

  @Override
  public void close() {
    try {
      channel.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
