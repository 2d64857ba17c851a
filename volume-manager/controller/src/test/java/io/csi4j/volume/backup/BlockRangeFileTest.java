package io.csi4j.volume.backup;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.csi4j.client.metadata.BlockMetadataBatch;
import io.csi4j.client.model.SnapshotId;
import io.csi4j.volume.backup.BlockRangeFile.Content;
import io.csi4j.volume.model.PluginId;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.Flow;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A file of ranges is whole and right, or it is refused. */
class BlockRangeFileTest {

  private static final Content CONTENT =
      new Content(
          PluginId.of("fake"), Optional.of(SnapshotId.of("a b/%é")), SnapshotId.of("snap-2"));

  @TempDir Path directory;

  private record Batch(long volumeCapacityBytes, List<BlockMetadataBatch.Range> ranges)
      implements BlockMetadataBatch {
    @Override
    public BlockMetadataBatch.Type type() {
      return BlockMetadataBatch.Type.VARIABLE_LENGTH;
    }
  }

  /** Gives one batch for each that is requested, then completes; refuses to give two at once. */
  private static Flow.Publisher<BlockMetadataBatch> giving(Object... signals) {
    return subscriber ->
        subscriber.onSubscribe(
            new Flow.Subscription() {
              private final Iterator<Object> left = List.of(signals).iterator();

              @Override
              public void request(long batches) {
                assertThat(batches).isEqualTo(1);
                Object next = left.hasNext() ? left.next() : "complete";
                if (next instanceof BlockMetadataBatch batch) {
                  subscriber.onNext(batch);
                } else if (next instanceof Throwable failure) {
                  subscriber.onError(failure);
                } else if (next.equals("complete")) {
                  subscriber.onComplete();
                }
              }

              @Override
              public void cancel() {}
            });
  }

  private static Batch batch(BlockMetadataBatch.Range... ranges) {
    return new Batch(1 << 20, List.of(ranges));
  }

  private static BlockMetadataBatch.Range range(long offset, long size) {
    return new BlockMetadataBatch.Range(offset, size);
  }

  private List<BlockMetadataBatch.Range> read(Path file) throws IOException {
    List<BlockMetadataBatch.Range> ranges = new ArrayList<>();
    BlockRangeFile.read(file).forEach(ranges::add);
    return ranges;
  }

  private Path written() throws IOException {
    Path file = directory.resolve("changes");
    BlockRangeFile.write(
        file,
        CONTENT,
        giving(
            batch(range(0, 4096), range(4096, 4096)),
            batch(),
            batch(range(8192, 10), range(20_000, 5))));
    return file;
  }

  @Test
  void whatIsWrittenIsReadAndIsPlainText() throws IOException {
    Path file = written();

    BlockRangeFile read = BlockRangeFile.read(file);

    assertThat(read.content()).isEqualTo(CONTENT);
    assertThat(read.volumeBytes()).isEqualTo(1 << 20);
    assertThat(read.count()).isEqualTo(2);
    assertThat(read.bytes()).isEqualTo(8207);
    assertThat(read(file)).containsExactly(range(0, 8202), range(20_000, 5));
    assertThat(Files.readString(file))
        .matches(
            """
            csi4j ranges 1
            plugin fake
            base a%20b%2F%25%C3%A9
            target snap-2
            0 8202
            20000 5
            volume 1048576
            end 2 8207 [0-9a-f]{64}
            """);
    assertThat(directory).isDirectoryContaining(each -> each.equals(file));
    assertThat(directory.resolve("changes.part")).doesNotExist();
  }

  @Test
  void noRangesAreAFileToo() throws IOException {
    Path file = directory.resolve("none");
    Content all = new Content(PluginId.of("fake"), Optional.empty(), SnapshotId.of("one"));
    assertThat(BlockRangeFile.write(file, all, giving()).count()).isZero();
    assertThat(BlockRangeFile.read(file).content()).isEqualTo(all);
    assertThat(BlockRangeFile.read(file).volumeBytes()).isZero();
    assertThat(read(file)).isEmpty();
  }

  @Test
  void anyOtherByteAndAnyCutIsNoticed() throws IOException {
    byte[] right = Files.readAllBytes(written());
    Path bad = directory.resolve("bad");
    Random random = new Random(3);
    for (int at = 0; at < right.length; at++) {
      byte[] wrong = right.clone();
      wrong[at] ^= (byte) (1 + random.nextInt(255));
      Files.write(bad, wrong);
      assertThatThrownBy(() -> BlockRangeFile.read(bad))
          .as("byte %s", at)
          .isInstanceOf(IOException.class)
          .hasMessageContaining("Write the file again");
      Files.write(bad, java.util.Arrays.copyOf(right, at));
      assertThatThrownBy(() -> BlockRangeFile.read(bad))
          .as("cut at %s", at)
          .isInstanceOf(IOException.class);
    }
    Files.write(
        bad, (new String(right, StandardCharsets.UTF_8) + "x").getBytes(StandardCharsets.UTF_8));
    assertThatThrownBy(() -> BlockRangeFile.read(bad)).hasMessageContaining("after its end");
  }

  @Test
  void aFileOfANewerVersionIsRefusedByName() throws IOException {
    Path file = written();
    Files.writeString(file, Files.readString(file).replace("csi4j ranges 1", "csi4j ranges 2"));
    assertThatThrownBy(() -> BlockRangeFile.read(file))
        .hasMessageContaining("line 1: a newer version wrote it");
  }

  @Test
  void aStreamThatBreaksLeavesTheFileThatWasThere() throws IOException {
    Path file = written();
    String before = Files.readString(file);
    assertThatThrownBy(
            () ->
                BlockRangeFile.write(
                    file,
                    CONTENT,
                    giving(batch(range(0, 1)), new IllegalStateException("it broke"))))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("it broke");
    assertThat(Files.readString(file)).isEqualTo(before);
    try (Stream<Path> left = Files.list(directory)) {
      assertThat(left).containsExactly(file);
    }
  }

  @Test
  void aPartThatACrashLeftIsReplaced() throws IOException {
    Files.writeString(directory.resolve("changes.part"), "csi4j ranges 1\nplugin fa".repeat(100));
    assertThat(read(written())).hasSize(2);
    assertThat(directory.resolve("changes.part")).doesNotExist();
  }

  @Test
  void anInterruptEndsTheWritingAndStaysSet() {
    Thread.currentThread().interrupt();
    assertThatThrownBy(
            () -> BlockRangeFile.write(directory.resolve("x"), CONTENT, giving("nothing")))
        .isInstanceOfAny(
            InterruptedIOException.class, java.nio.channels.ClosedByInterruptException.class);
    assertThat(Thread.interrupted()).isTrue();
    assertThat(directory.resolve("x")).doesNotExist();
  }
}
