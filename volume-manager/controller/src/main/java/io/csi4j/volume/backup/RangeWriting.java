package io.csi4j.volume.backup;

import io.csi4j.client.metadata.BlockMetadataBatch;
import io.csi4j.volume.backup.BlockRangeFile.Content;
import io.csi4j.volume.backup.BlockRangeFile.Sums;
import io.csi4j.volume.controller.ControllerException;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.URLEncoder;
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
import java.util.HexFormat;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Flow;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.function.Consumer;

/** Writes a file of ranges on the caller's thread. */
final class RangeWriting {

  private static final int BUFFER = 1 << 16;

  private final FileChannel out;
  private final MessageDigest digest = digest();
  private final ByteArrayOutputStream buffer = new ByteArrayOutputStream(BUFFER + 64);
  private Optional<BlockMetadataBatch.Range> last = Optional.empty();
  private long volumeBytes;
  private long count;
  private long bytes;

  private RangeWriting(FileChannel out) {
    this.out = out;
  }

  static MessageDigest digest() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("Every JDK has SHA-256.", e);
    }
  }

  static Sums write(Path file, Content content, Flow.Publisher<BlockMetadataBatch> ranges)
      throws IOException {
    Path directory = file.toAbsolutePath().getParent();
    Path part = file.resolveSibling(file.getFileName() + ".part");
    Sums sums;
    try {
      try (FileChannel out =
          FileChannel.open(
              part,
              StandardOpenOption.CREATE,
              StandardOpenOption.TRUNCATE_EXISTING,
              StandardOpenOption.WRITE,
              LinkOption.NOFOLLOW_LINKS)) {
        RangeWriting writing = new RangeWriting(out);
        writing.head(content);
        new Batches(ranges).forEach(writing::add);
        sums = writing.end();
        out.force(true);
      }
      Files.move(part, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    } catch (IOException | RuntimeException | Error failed) {
      try {
        Files.deleteIfExists(part);
      } catch (IOException left) {
        failed.addSuppressed(left);
      }
      throw failed;
    }
    if (directory != null) {
      try (FileChannel names = FileChannel.open(directory, StandardOpenOption.READ)) {
        names.force(true);
      }
    }
    return sums;
  }

  /** Encodes a text without spaces, line ends or non-ASCII characters. */
  static String encoded(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
  }

  private void head(Content content) throws IOException {
    line(BlockRangeFile.FIRST_LINE);
    line("plugin " + encoded(content.plugin().value()));
    if (content.base().isPresent()) {
      line("base " + encoded(content.base().get().value()));
    }
    line("target " + encoded(content.target().value()));
  }

  private void add(BlockMetadataBatch batch) throws IOException {
    volumeBytes = Math.max(volumeBytes, batch.volumeCapacityBytes());
    for (BlockMetadataBatch.Range range : batch.ranges()) {
      if (last.isPresent() && last.get().end() == range.offset()) {
        last =
            Optional.of(
                new BlockMetadataBatch.Range(
                    last.get().offset(), last.get().size() + range.size()));
      } else {
        flush();
        last = Optional.of(range);
      }
    }
  }

  private void flush() throws IOException {
    if (last.isPresent()) {
      BlockMetadataBatch.Range range = last.get();
      line(range.offset() + " " + range.size());
      count++;
      bytes += range.size();
    }
  }

  private Sums end() throws IOException {
    flush();
    line("volume " + volumeBytes);
    drain();
    String sum = HexFormat.of().formatHex(digest.digest());
    line("end " + count + " " + bytes + " " + sum);
    drain();
    return new Sums(volumeBytes, count, bytes);
  }

  private void line(String text) throws IOException {
    byte[] line = (text + "\n").getBytes(StandardCharsets.UTF_8);
    digest.update(line);
    buffer.writeBytes(line);
    if (buffer.size() >= BUFFER) {
      drain();
    }
  }

  private void drain() throws IOException {
    ByteBuffer all = ByteBuffer.wrap(buffer.toByteArray());
    while (all.hasRemaining()) {
      out.write(all);
    }
    buffer.reset();
  }

  /** Takes batches from a publisher one at a time, on the caller's thread. */
  private static final class Batches implements Flow.Subscriber<BlockMetadataBatch> {

    private final Flow.Publisher<BlockMetadataBatch> from;
    private final BlockingQueue<Signal> signals = new LinkedBlockingQueue<>();

    /** A signal from the publisher. */
    private sealed interface Signal {
      record Begun(Flow.Subscription subscription) implements Signal {}

      record Next(BlockMetadataBatch batch) implements Signal {}

      record Failed(Throwable failure) implements Signal {}

      record Complete() implements Signal {}
    }

    /** An action on a batch. */
    private interface Work {
      void on(BlockMetadataBatch batch) throws IOException;
    }

    Batches(Flow.Publisher<BlockMetadataBatch> from) {
      this.from = from;
    }

    void forEach(Work work) throws IOException {
      from.subscribe(this);
      Consumer<Flow.Subscription> cancelling = Flow.Subscription::cancel;
      Optional<Flow.Subscription> open = Optional.empty();
      try {
        while (true) {
          Signal signal = signals.take();
          if (signal instanceof Signal.Begun begun) {
            open = Optional.of(begun.subscription());
            begun.subscription().request(1);
          } else if (signal instanceof Signal.Next next) {
            work.on(next.batch());
            open.ifPresent(subscription -> subscription.request(1));
          } else if (signal instanceof Signal.Failed failed) {
            open = Optional.empty();
            throw failure(failed.failure());
          } else {
            open = Optional.empty();
            return;
          }
        }
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        InterruptedIOException interrupted =
            new InterruptedIOException("The thread that wrote a file of ranges was interrupted.");
        interrupted.initCause(e);
        throw interrupted;
      } finally {
        open.ifPresent(cancelling);
      }
    }

    private static IOException failure(Throwable told) {
      if (told instanceof ControllerException known) {
        throw known;
      }
      return new IOException("The ranges could not be read: " + told.getMessage(), told);
    }

    @Override
    public void onSubscribe(Flow.Subscription subscription) {
      signals.add(new Signal.Begun(subscription));
    }

    @Override
    public void onNext(BlockMetadataBatch batch) {
      signals.add(new Signal.Next(batch));
    }

    @Override
    public void onError(Throwable failure) {
      signals.add(new Signal.Failed(failure));
    }

    @Override
    public void onComplete() {
      signals.add(new Signal.Complete());
    }
  }
}
