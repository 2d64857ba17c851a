package io.csi4j.client.metadata;

import static io.csi4j.client.metadata.MetadataScript.await;
import static io.csi4j.client.metadata.MetadataScript.cancelled;
import static io.csi4j.client.metadata.MetadataScript.message;
import static io.csi4j.client.metadata.MetadataScript.offsets;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.csi4j.client.CsiPlugin;
import io.csi4j.client.model.ConnectOptions;
import io.csi4j.client.model.CsiOperation;
import io.csi4j.client.model.SnapshotId;
import io.csi4j.client.model.StatusCode;
import io.csi4j.client.scripted.ScriptedPlugin;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Flow;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Streams of block metadata, taken by a subscriber. */
class AsyncMetadataStreamTest {

  @TempDir Path directory;
  private ScriptedPlugin scripted;
  private CsiPlugin plugin;

  @BeforeEach
  void connect() {
    scripted = ScriptedPlugin.start(directory.resolve("csi.sock"));
    plugin =
        CsiPlugin.connect(
            scripted.endpoint(),
            ConnectOptions.builder().policies(policy -> policy.backoff(Duration.ZERO)).build());
  }

  @AfterEach
  void close() {
    plugin.close();
    scripted.close();
  }

  /** Notes the signals in their order, and that they never overlap. */
  private static class Recorder implements Flow.Subscriber<BlockMetadataBatch> {
    final LinkedBlockingQueue<String> signals = new LinkedBlockingQueue<>();
    final List<String> threads = new CopyOnWriteArrayList<>();
    final AtomicBoolean overlapped = new AtomicBoolean();
    final CompletableFuture<Throwable> failure = new CompletableFuture<>();
    private final AtomicInteger inside = new AtomicInteger();
    private final Consumer<Flow.Subscription> first;
    private final Consumer<Flow.Subscription> each;
    volatile Flow.Subscription subscription =
        new Flow.Subscription() {
          @Override
          public void request(long n) {}

          @Override
          public void cancel() {}
        };

    Recorder(Consumer<Flow.Subscription> first, Consumer<Flow.Subscription> each) {
      this.first = first;
      this.each = each;
    }

    private void signal(String what, Runnable then) {
      overlapped.compareAndSet(false, inside.incrementAndGet() > 1);
      try {
        threads.add(Thread.currentThread().getName());
        signals.add(what);
        then.run();
      } finally {
        inside.decrementAndGet();
      }
    }

    @Override
    public void onSubscribe(Flow.Subscription given) {
      subscription = given;
      signal("subscribed", () -> first.accept(given));
    }

    @Override
    public void onNext(BlockMetadataBatch batch) {
      signal("next", () -> each.accept(subscription));
    }

    @Override
    public void onError(Throwable thrown) {
      signal("error", () -> failure.complete(thrown));
    }

    @Override
    public void onComplete() {
      signal("complete", () -> {});
    }

    void expect(String... expected) throws InterruptedException {
      for (String each : expected) {
        assertThat(signals.poll(10, TimeUnit.SECONDS)).isEqualTo(each);
      }
    }
  }

  private static Recorder recorder(
      Consumer<Flow.Subscription> first, Consumer<Flow.Subscription> each) {
    return new Recorder(first, each);
  }

  private Flow.Publisher<BlockMetadataBatch> publisher() {
    return plugin
        .snapshotMetadata()
        .async()
        .getMetadataAllocated(GetMetadataAllocatedRequest.builder(SnapshotId.of("s")).build());
  }

  private void messages(int count) {
    scripted.on(
        CsiOperation.GET_METADATA_ALLOCATED,
        (call, reply) -> {
          for (int i = 0; i < count; i++) {
            reply.next(message(i, 1));
          }
          reply.complete();
        });
  }

  /** Whatever is still under way for this subscriber has happened once this has. */
  private void settle() {
    plugin.close();
  }

  @Test
  void theSubscriptionComesFirstThenTheBatchesThenTheEndAllOnCallbackThreads() throws Exception {
    messages(3);
    Recorder recorder = recorder(given -> given.request(Long.MAX_VALUE), given -> {});
    publisher().subscribe(recorder);
    recorder.expect("subscribed", "next", "next", "next", "complete");
    assertThat(recorder.overlapped).isFalse();
    assertThat(recorder.threads).allMatch(name -> name.startsWith("csi4j-callback-"));
  }

  @Test
  void nothingIsSentBeforeABatchIsRequestedAndNoMoreComesThanRequested() throws Exception {
    messages(5);
    Recorder recorder = recorder(given -> {}, given -> {});
    publisher().subscribe(recorder);
    recorder.expect("subscribed");
    assertThat(offsets(scripted)).isEmpty();
    recorder.subscription.request(2);
    recorder.expect("next", "next");
    settle();
    recorder.expect("error");
    assertThat(recorder.signals).isEmpty();
  }

  @Test
  void aStreamThatBreaksWhileNothingIsRequestedGoesOnOnlyWhenItIs() throws Exception {
    CountDownLatch took = new CountDownLatch(1);
    scripted.on(
        CsiOperation.GET_METADATA_ALLOCATED,
        (call, reply) -> {
          scripted.on(
              CsiOperation.GET_METADATA_ALLOCATED,
              (again, more) -> {
                more.next(message(1, 1));
                more.complete();
              });
          reply.next(message(0, 1));
          await(took);
          reply.fail(StatusCode.UNAVAILABLE, "broken");
        });
    Recorder recorder = recorder(given -> given.request(1), given -> took.countDown());
    publisher().subscribe(recorder);
    recorder.expect("subscribed", "next");
    // A whole other call goes by, behind the end of the first.
    plugin.identity().getPluginInfo();
    assertThat(recorder.signals).isEmpty();
    recorder.subscription.request(1);
    recorder.expect("next", "complete");
    assertThat(offsets(scripted)).containsExactly(0L, 1L);
  }

  @Test
  void requestingNothingIsAnError() throws Exception {
    messages(1);
    for (long n : new long[] {0, -1, Long.MIN_VALUE}) {
      Recorder recorder = recorder(given -> given.request(n), given -> {});
      publisher().subscribe(recorder);
      recorder.expect("subscribed", "error");
      assertThat(recorder.failure.join()).isInstanceOf(IllegalArgumentException.class);
    }
    assertThat(offsets(scripted)).isEmpty();
  }

  @Test
  void aSubscriberIsNeeded() {
    assertThatThrownBy(() -> publisher().subscribe(null)).isInstanceOf(NullPointerException.class);
  }

  @Test
  void nothingFollowsACancellationFromWithinABatch() throws Exception {
    CompletableFuture<CountDownLatch> gaveUp = new CompletableFuture<>();
    scripted.on(
        CsiOperation.GET_METADATA_ALLOCATED,
        (call, reply) -> {
          gaveUp.complete(cancelled(call));
          for (int i = 0; i < 100; i++) {
            reply.next(message(i, 1));
          }
        });
    Recorder recorder = recorder(given -> given.request(Long.MAX_VALUE), Flow.Subscription::cancel);
    publisher().subscribe(recorder);
    await(gaveUp.join());
    recorder.subscription.request(1);
    recorder.subscription.request(0);
    settle();
    recorder.expect("subscribed", "next");
    assertThat(recorder.signals).isEmpty();
  }

  @Test
  void aSubscriberThatThrowsEndsItsOwnCallOnly() throws Exception {
    CompletableFuture<CountDownLatch> gaveUp = new CompletableFuture<>();
    scripted.on(
        CsiOperation.GET_METADATA_ALLOCATED,
        (call, reply) -> {
          gaveUp.complete(cancelled(call));
          reply.next(message(0, 1));
        });
    IllegalStateException bug = new IllegalStateException("a bug of the host");
    Recorder recorder =
        recorder(
            given -> given.request(9),
            given -> {
              throw bug;
            });
    publisher().subscribe(recorder);
    recorder.expect("subscribed", "next", "error");
    assertThat(recorder.failure.join()).isSameAs(bug);
    await(gaveUp.join());
    messages(1);
    Recorder other = recorder(given -> given.request(9), given -> {});
    publisher().subscribe(other);
    other.expect("subscribed", "next", "complete");
    assertThat(plugin.identity().getPluginInfo().name().value())
        .isEqualTo("scripted.csi4j.example");
  }

  @Test
  void eachSubscriptionIsACallOfItsOwn() throws Exception {
    messages(1);
    Flow.Publisher<BlockMetadataBatch> publisher = publisher();
    for (int i = 0; i < 2; i++) {
      Recorder recorder = recorder(given -> given.request(9), given -> {});
      publisher.subscribe(recorder);
      recorder.expect("subscribed", "next", "complete");
    }
    assertThat(offsets(scripted)).containsExactly(0L, 0L);
  }

  @Test
  void aSubscriberThatBlocksDoesNotHoldUpWhoeverRequests() throws Exception {
    messages(3);
    CountDownLatch free = new CountDownLatch(1);
    Recorder recorder = recorder(given -> given.request(1), given -> await(free));
    publisher().subscribe(recorder);
    recorder.expect("subscribed", "next");
    recorder.subscription.request(1);
    recorder.subscription.request(5);
    free.countDown();
    recorder.expect("next", "next", "complete");
    assertThat(recorder.overlapped).isFalse();
    assertThat(recorder.threads).allMatch(name -> name.startsWith("csi4j-callback-"));
  }

  @Tag("campaign")
  @Test
  void requestingOneByOneFromWithinABatchDoesNotRecurse() throws Exception {
    int count = 100_000;
    messages(count);
    AtomicInteger taken = new AtomicInteger();
    AtomicInteger deepest = new AtomicInteger();
    CompletableFuture<Integer> end = new CompletableFuture<>();
    publisher()
        .subscribe(
            new Flow.Subscriber<>() {
              private Flow.Subscription own = new Recorder(s -> {}, s -> {}).subscription;

              @Override
              public void onSubscribe(Flow.Subscription given) {
                own = given;
                given.request(1);
              }

              @Override
              public void onNext(BlockMetadataBatch batch) {
                if (taken.incrementAndGet() % 1000 == 0) {
                  deepest.accumulateAndGet(new Throwable().getStackTrace().length, Math::max);
                }
                own.request(1);
              }

              @Override
              public void onError(Throwable thrown) {
                end.completeExceptionally(thrown);
              }

              @Override
              public void onComplete() {
                end.complete(taken.get());
              }
            });
    assertThat(end.get(25, TimeUnit.SECONDS)).isEqualTo(count);
    assertThat(deepest.get()).isLessThan(60);
  }
}
