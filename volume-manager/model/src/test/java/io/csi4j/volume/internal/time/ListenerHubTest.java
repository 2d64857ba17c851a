package io.csi4j.volume.internal.time;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.volume.internal.text.CapturedLog;
import io.csi4j.volume.internal.time.ListenerHub.Listening;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

/** The one way in which listeners are told. */
@Isolated("Reads the log of the modules.")
class ListenerHubTest {

  private final CapturedLog log = CapturedLog.ofVolumes();

  @AfterEach
  void releaseTheLog() {
    log.close();
  }

  private final Queue<Runnable> tasks = new ArrayDeque<>();
  private final List<Integer> told = new ArrayList<>();
  private boolean isRefusing;
  private final ListenerHub hub = new ListenerHub("numbers", this::execute);

  private void execute(Runnable task) {
    if (isRefusing) {
      throw new Error("no thread, as a machine says it that nobody knows");
    }
    tasks.add(task);
  }

  private void runAll() {
    while (!tasks.isEmpty()) {
      tasks.remove().run();
    }
  }

  @Test
  void aListenerIsToldInOrderByOneTaskForAllThatWaits() {
    Listening<Integer> listening = hub.listen(told::add);
    listening.tell(1);
    listening.tell(2);
    listening.add(3);

    assertThat(tasks).hasSize(1);
    runAll();
    assertThat(told).containsExactly(1, 2, 3);
  }

  @Test
  void whatIsAddedWaitsUntilTheListenerIsWoken() {
    Listening<Integer> listening = hub.listen(told::add);
    listening.add(1);
    assertThat(tasks).isEmpty();

    listening.wake();
    runAll();
    assertThat(told).containsExactly(1);
  }

  @Test
  void aListenerThatThrowsAnythingIsToldTheNextEvent() {
    List<Throwable> first = new ArrayList<>();
    Listening<Integer> listening =
        hub.listen(
            event -> {
              told.add(event);
              throw new LinkageError("broken");
            },
            new Few(),
            first::add);
    listening.tell(1);
    listening.tell(2);
    runAll();

    assertThat(told).containsExactly(1, 2);
    assertThat(first).singleElement().isInstanceOf(LinkageError.class);
    assertThat(log.warnings())
        .containsExactly(
            "A listener of numbers failed. It still receives events; its further failures are "
                + "logged for debugging only. Fix the listener.");
  }

  @Test
  void theNewestEventsWaitForASlowListener() {
    Listening<Integer> listening = hub.listen(told::add);
    IntStream.range(0, 10_003).forEach(listening::tell);
    runAll();

    assertThat(told).hasSize(10_000).startsWith(3).endsWith(10_002);
    assertThat(log.warnings())
        .containsExactly(
            "A listener of numbers missed 3 events: too many were waiting. Make it faster.");
  }

  @Test
  void nothingIsLostWhereThereWasNoThread() {
    Listening<Integer> listening = hub.listen(told::add);
    isRefusing = true;
    listening.tell(1);
    isRefusing = false;
    listening.tell(2);
    runAll();

    assertThat(told).containsExactly(1, 2);
    assertThat(log.warnings())
        .containsExactly("No thread could be started to notify a listener of numbers.");
  }

  @Test
  void aFailureThatCannotBeReportedKeepsNoEventFromTheListener() {
    Listening<Integer> listening =
        hub.listen(
            event -> {
              told.add(event);
              throw new IllegalStateException("broken");
            },
            new Few(),
            failure -> {
              throw new Error("broken, too", failure);
            });
    listening.tell(1);
    listening.tell(2);
    runAll();
    listening.tell(3);
    runAll();

    assertThat(told).containsExactly(1, 2, 3);
    assertThat(log.warnings())
        .containsExactly(
            "A listener of numbers failed. It still receives events; its further failures are "
                + "logged for debugging only. Fix the listener.",
            "The failure of a listener could not be reported.");
  }

  @Test
  void aListenerThatHasLeftIsToldNeitherWhatWaitsNorMore() {
    Listening<Integer> listening = hub.listen(told::add);
    listening.tell(1);
    listening.close();
    listening.tell(2);
    runAll();

    assertThat(told).isEmpty();
    hub.close(Duration.ofHours(1));
  }

  @Test
  void closingTellsWhatWaitsAndTakesNoMore() {
    LinkedBlockingQueue<Integer> heard = new LinkedBlockingQueue<>();
    ListenerHub closing = new ListenerHub("numbers", "csi4j-hub");
    Listening<Integer> listening = closing.listen(heard::add);
    IntStream.range(0, 100).forEach(listening::tell);

    closing.close(Duration.ofHours(1));
    listening.tell(100);

    assertThat(heard).hasSize(100).doesNotContain(100);
  }

  @Test
  void aListenerMayCloseAndTheOthersAreInterrupted() throws Exception {
    ListenerHub closing = new ListenerHub("numbers", "csi4j-hub");
    CountDownLatch isBlocked = new CountDownLatch(1);
    CountDownLatch isInterrupted = new CountDownLatch(1);
    CountDownLatch isClosed = new CountDownLatch(1);
    Listening<Integer> blocking =
        closing.listen(
            event -> {
              isBlocked.countDown();
              try {
                new CountDownLatch(1).await();
              } catch (InterruptedException e) {
                isInterrupted.countDown();
              }
            });
    Listening<Integer> ending =
        closing.listen(
            event -> {
              closing.close(Duration.ofHours(1));
              isClosed.countDown();
            });
    blocking.tell(1);
    assertThat(isBlocked.await(30, TimeUnit.SECONDS)).isTrue();

    ending.tell(1);

    assertThat(isClosed.await(30, TimeUnit.SECONDS)).isTrue();
    assertThat(isInterrupted.await(30, TimeUnit.SECONDS)).isTrue();
  }

  /** A queue of a host's own. */
  private static final class Few implements ListenerHub.Waiting<Integer> {
    private final Queue<Integer> all = new ArrayDeque<>();

    @Override
    public void add(Integer event) {
      all.add(event);
    }

    @Override
    public Optional<Integer> next() {
      return Optional.ofNullable(all.poll());
    }

    @Override
    public boolean isEmpty() {
      return all.isEmpty();
    }

    @Override
    public int size() {
      return all.size();
    }
  }
}
