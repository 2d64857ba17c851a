package io.csi4j.client.internal;

import io.csi4j.client.metadata.BlockMetadataBatch;
import io.csi4j.client.metadata.MetadataStream;
import io.csi4j.client.model.CsiCancelledException;
import java.util.NoSuchElementException;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Flow;
import java.util.function.Function;

/** A subscription to block metadata that a thread reads in blocking mode, one batch at a time. */
final class BlockingMetadataStream implements MetadataStream, Flow.Subscriber<BlockMetadataBatch> {

  private final MetadataCall<?, ?> call;
  private final CompletableFuture<Optional<BlockMetadataBatch>> end = new CompletableFuture<>();
  private volatile CompletableFuture<Optional<BlockMetadataBatch>> arriving =
      new CompletableFuture<>();
  private Optional<BlockMetadataBatch> next = Optional.empty();
  private volatile long resumeOffset;

  /**
   * Creates a call whose subscriber is this object. The call begins when the first batch is read.
   */
  BlockingMetadataStream(
      long startingOffset, Function<Flow.Subscriber<BlockMetadataBatch>, MetadataCall<?, ?>> call) {
    this.resumeOffset = startingOffset;
    this.call = call.apply(this);
  }

  @Override
  public boolean hasNext() {
    if (next.isEmpty()) {
      if (Thread.currentThread().isInterrupted()) {
        call.end(CsiCancelledException.Reason.INTERRUPTED);
      }
      CompletableFuture<Optional<BlockMetadataBatch>> batch = new CompletableFuture<>();
      arriving = batch;
      call.request(1);
      // The stream may end immediately after a batch, so a batch is delivered before the end.
      BlockingWait.on(
          CompletableFuture.anyOf(batch, end),
          () -> call.end(CsiCancelledException.Reason.INTERRUPTED));
      next = BlockingWait.on(batch.isDone() ? batch : end, () -> {});
    }
    return next.isPresent();
  }

  @Override
  public BlockMetadataBatch next() {
    if (!hasNext()) {
      throw new NoSuchElementException("The metadata is complete.");
    }
    BlockMetadataBatch batch = next.orElseThrow();
    next = Optional.empty();
    if (!batch.ranges().isEmpty()) {
      resumeOffset = batch.ranges().get(batch.ranges().size() - 1).end();
    }
    return batch;
  }

  @Override
  public long resumeOffset() {
    return resumeOffset;
  }

  @Override
  public void close() {
    call.end(CsiCancelledException.Reason.CANCELLED);
  }

  @Override
  public void onSubscribe(Flow.Subscription subscription) {
    throw new IllegalStateException("this subscriber is made with its call");
  }

  @Override
  public void onNext(BlockMetadataBatch batch) {
    arriving.complete(Optional.of(batch));
  }

  @Override
  public void onError(Throwable thrown) {
    end.completeExceptionally(thrown);
  }

  @Override
  public void onComplete() {
    end.complete(Optional.empty());
  }
}
