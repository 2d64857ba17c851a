package io.csi4j.volume.internal.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.csi4j.volume.internal.journal.WriteTurns.Write;
import io.csi4j.volume.state.StateEvent;
import io.csi4j.volume.state.StateException;
import io.csi4j.volume.state.StateStore.Durability;
import io.csi4j.volume.state.StateStore.Stored;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.FutureTask;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;

/** The turns of writers, without a disk. */
class WriteTurnsTest {

  private static final StateEvent EVENT =
      new StateEvent.Recovered(StateException.Reason.STATE_DISK_FULL);

  private final List<Integer> written = new ArrayList<>();
  private int more;
  private boolean isMoreDue;
  private final WriteTurns turns = new WriteTurns(this::write, () -> isMoreDue, this::doMore);

  private void write(List<Write> all) {
    written.add(all.size());
    all.forEach(each -> each.done(Stored.DURABLE));
  }

  private void doMore(List<StateEvent> events) {
    more++;
    events.add(EVENT);
  }

  private static Write change() {
    return new Write(
        Fixture.A,
        Entry.unplaced(EntryName.of(Fixture.A), Entry.PUT, new byte[0]),
        Durability.REQUIRED);
  }

  @Test
  void otherWorkIsDoneOnlyWhenItIsDueAndItsEventsAreThoseOfTheWriter() {
    Write first = change();
    turns.await(first);
    assertThat(more).isZero();
    assertThat(first.events).isEmpty();
    isMoreDue = true;
    Write second = change();
    turns.await(second);

    assertThat(more).isEqualTo(1);
    assertThat(second.events).containsExactly(EVENT);
    assertThat(written).containsExactly(1, 1);
    assertThat(second.result()).isEqualTo(Stored.DURABLE);
  }

  @Test
  void theTurnIsFreeAfterOtherWorkThatFails() {
    isMoreDue = true;
    WriteTurns failing =
        new WriteTurns(
            this::write,
            () -> isMoreDue,
            events -> {
              throw new IllegalStateException("expected by this test");
            });
    assertThatExceptionOfType(IllegalStateException.class)
        .isThrownBy(() -> failing.await(change()))
        .withMessage("expected by this test");
    isMoreDue = false;
    Write next = change();
    failing.await(next);

    assertThat(next.result()).isEqualTo(Stored.DURABLE);
  }

  @Test
  void aWriterThatIsInterruptedWhileItWaitsWritesAndStaysInterrupted() throws Exception {
    FutureTask<Boolean> waiting =
        new FutureTask<>(
            () -> {
              turns.await(change());
              return Thread.currentThread().isInterrupted();
            });
    Thread thread = new Thread(waiting, "writer");
    thread.setDaemon(true);
    turns.begin();
    thread.start();
    while (thread.getState() != Thread.State.WAITING) {
      LockSupport.parkNanos(100_000);
    }
    thread.interrupt();
    // It clears the interrupt and waits again.
    while (thread.isInterrupted() || thread.getState() != Thread.State.WAITING) {
      LockSupport.parkNanos(100_000);
    }
    assertThat(waiting.isDone()).isFalse();
    turns.end();

    assertThat(waiting.get()).isTrue();
    assertThat(written).containsExactly(1);
  }

  @Test
  void aWriterThatIsNotInterruptedDoesNotBecomeSo() {
    turns.await(change());

    assertThat(Thread.currentThread().isInterrupted()).isFalse();
  }
}
