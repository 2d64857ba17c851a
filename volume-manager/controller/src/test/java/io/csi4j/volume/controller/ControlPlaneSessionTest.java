package io.csi4j.volume.controller;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.csi4j.volume.catalog.SteppingStore;
import io.csi4j.volume.controller.ControlPlaneSession.Ownership;
import io.csi4j.volume.internal.catalog.CatalogWork;
import io.csi4j.volume.internal.catalog.CatalogWork.Kind;
import io.csi4j.volume.internal.store.RecordFailure;
import io.csi4j.volume.internal.time.VirtualTime;
import io.csi4j.volume.model.ChangeOutcome;
import io.csi4j.volume.model.ReasonText;
import io.csi4j.volume.model.VolumeKey;
import io.csi4j.volume.store.RecordKey;
import io.csi4j.volume.store.RecordStore;
import io.csi4j.volume.store.RecordStoreException;
import io.csi4j.volume.store.RecordStoreException.Reason;
import io.csi4j.volume.store.RecordWrite;
import io.csi4j.volume.store.StoredRecord;
import io.csi4j.volume.store.local.MemoryStore;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The sessions of one control plane, and what another one sees of them. */
class ControlPlaneSessionTest {

  private static final VolumeKey DB = VolumeKey.of("db");
  private static final VolumeKey WEB = VolumeKey.of("web");

  private final AtomicBoolean isDown = new AtomicBoolean();

  /** So many of the next writes get no answer, and are late. */
  private final AtomicInteger unanswered = new AtomicInteger();

  private final AtomicReference<Optional<ReasonText>> readOnly =
      new AtomicReference<>(Optional.empty());
  private final List<List<RecordWrite>> late = new ArrayList<>();

  /** Whether the next write, or its answer, waits until a test lets it go on. */
  private final AtomicBoolean isHeld = new AtomicBoolean();

  private final AtomicBoolean isAnswerHeld = new AtomicBoolean();
  private final CountDownLatch held = new CountDownLatch(1);
  private final CountDownLatch left = new CountDownLatch(1);
  private final RecordStore store =
      new SteppingStore(new MemoryStore(), (next, write) -> write.get()) {
        @Override
        public Optional<ReasonText> readOnly() {
          return readOnly.get();
        }

        @Override
        public WriteResult write(List<RecordWrite> writes) {
          if (isDown.get()) {
            throw new RecordStoreException(Reason.UNAVAILABLE, "it is down", null);
          }
          if (unanswered.getAndUpdate(left -> Math.max(0, left - 1)) > 0) {
            late.add(writes);
            return new WriteResult.Unknown(new ReasonText("the answer was lost"));
          }
          if (isHeld.getAndSet(false)) {
            hold();
          }
          WriteResult result = super.write(writes);
          if (isAnswerHeld.getAndSet(false)) {
            hold();
          }
          return result;
        }
      };
  private final VirtualTime time = new VirtualTime();
  private final List<ControllerEvent> events = new ArrayList<>();
  private final ControlPlaneSession session = session("one");
  private final ControlPlaneSession other = session("two");

  private ControlPlaneSession session(String controlPlane) {
    return session(controlPlane, time);
  }

  private ControlPlaneSession session(String controlPlane, Executor threads) {
    return new ControlPlaneSession(
        store,
        controlPlane,
        time,
        time,
        threads,
        ControlPlaneSession.EXPIRY,
        new OperationReports(List.of(events::add), time));
  }

  private void hold() {
    held.countDown();
    try {
      assertThat(left.await(30, TimeUnit.SECONDS)).isTrue();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @AfterEach
  void close() {
    session.close();
    other.close();
    store.close();
  }

  private List<StoredRecord> sessions() {
    return store.scan(RecordKey.Space.CLUSTER, Optional.empty(), 10).records();
  }

  private static CatalogWork workOf(Ownership owner) {
    return new CatalogWork(CatalogWork.VOLUME, Kind.CHANGE, owner.owner(), 1);
  }

  @Test
  void aSessionEndsWithItsLastWorkOnceTheControlPlaneIsClosed() {
    Ownership first = session.enter();
    Ownership second = session.enter();
    assertThat(second.owner()).isEqualTo(first.owner());
    session.close();
    first.end();
    first.end();
    assertThat(sessions()).as("work goes on").hasSize(1);
    second.end();
    assertThat(sessions()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void whileTheStoreHoldsAWriteOfTheSessionItsStateIsKnown(boolean isRenewal) throws Exception {
    Ownership before = session.enter();
    if (isRenewal) {
      isDown.set(true);
      time.pass(ControlPlaneSession.EXPIRY.dividedBy(3));
      isDown.set(false);
    } else {
      before.giveUp(WEB, CatalogWork.VOLUME);
    }
    isHeld.set(true);
    CompletableFuture<Ownership> begun = CompletableFuture.supplyAsync(session::enter);
    assertThat(held.await(30, TimeUnit.SECONDS)).isTrue();

    CompletableFuture<Void> asked =
        CompletableFuture.runAsync(
            () -> {
              assertThat(session.state()).isEqualTo(ControlPlaneStatus.Session.ACTIVE);
              assertThat(session.isGivenUp(WEB, workOf(before))).isEqualTo(!isRenewal);
              assertThat(before.mayCall()).isEqualTo(isRenewal);
              session.endLeft();
            });
    asked.get(30, TimeUnit.SECONDS);
    assertThat(begun).isNotDone();
    left.countDown();

    Ownership after = begun.get(30, TimeUnit.SECONDS);
    assertThat(after.owner().equals(before.owner())).isEqualTo(isRenewal);
    assertThat(after.mayCall()).isTrue();
    assertThat(other.isOver(after.owner())).isFalse();
    before.end();
    after.end();
  }

  @Test
  void aSessionThatIsJustWrittenIsNotOneThatWasLeftOver() throws Exception {
    isAnswerHeld.set(true);
    CompletableFuture<Ownership> begun = CompletableFuture.supplyAsync(session::enter);
    assertThat(held.await(30, TimeUnit.SECONDS)).isTrue();
    assertThat(sessions()).hasSize(1);
    session.endLeft();
    left.countDown();

    Ownership work = begun.get(30, TimeUnit.SECONDS);
    assertThat(sessions()).hasSize(1);
    assertThat(other.isOver(work.owner())).isFalse();
    work.end();
  }

  @Test
  void workThatBeginsAfterTheControlPlaneIsClosedLeavesNoSession() {
    session.close();
    Ownership work = session.enter();
    assertThat(sessions()).hasSize(1);
    work.end();
    assertThat(sessions()).isEmpty();
  }

  @Test
  void aSessionIsRenewedForTheWorkThatGoesOnWhenOtherWorkIsGivenUp() {
    Ownership givenUp = session.enter();
    Ownership goingOn = session.enter();
    assertThat(other.isOver(WEB, workOf(givenUp))).isFalse();
    givenUp.giveUp(WEB, CatalogWork.VOLUME);
    givenUp.end();
    assertThat(other.isOver(WEB, workOf(givenUp))).isTrue();
    assertThat(other.isOver(DB, workOf(goingOn))).isFalse();
    time.pass(Duration.ofMinutes(5));

    assertThat(goingOn.mayCall()).isTrue();
    assertThat(givenUp.mayCall()).isFalse();
    assertThat(other.isOver(goingOn.owner())).isFalse();
    assertThat(session.isGivenUp(WEB, workOf(givenUp))).isTrue();
    assertThat(session.isGivenUp(DB, workOf(goingOn))).isFalse();
  }

  @Test
  void aSessionUnderWhichWorkWasGivenUpIsOverOnceItsOtherWorkHasEnded() {
    Ownership givenUp = session.enter();
    Ownership goingOn = session.enter();
    givenUp.giveUp(WEB, CatalogWork.VOLUME);
    givenUp.end();
    Ownership next = session.enter();
    assertThat(next.owner()).as("no work begins under it").isNotEqualTo(givenUp.owner());
    goingOn.end();

    assertThat(other.isOver(givenUp.owner())).isTrue();
    assertThat(session.isGivenUp(WEB, workOf(givenUp))).isTrue();
    assertThat(sessions()).hasSize(1);
    assertThat(next.mayCall()).isTrue();
    assertThat(other.isOver(next.owner())).isFalse();
  }

  @Test
  void workThatIsGivenUpWhileTheStoreIsDownIsTakenOverAfterTheNextRenewal() {
    Ownership givenUp = session.enter();
    Ownership goingOn = session.enter();
    isDown.set(true);
    givenUp.giveUp(WEB, "snapshot nightly");
    givenUp.end();
    isDown.set(false);
    CatalogWork cut = new CatalogWork("snapshot nightly", Kind.SNAPSHOT, givenUp.owner(), 1);
    assertThat(other.isOver(WEB, cut)).isFalse();
    time.pass(Duration.ofSeconds(8));

    assertThat(other.isOver(WEB, cut)).isTrue();
    assertThat(other.isOver(WEB, workOf(goingOn))).isFalse();
    assertThat(session.isGivenUp(WEB, cut)).isTrue();
    assertThat(session.isGivenUp(WEB, workOf(goingOn))).isFalse();
  }

  @Test
  void workThatIsGivenUpTwiceEndsNoSessionThatHasBegunSince() {
    Ownership givenUp = session.enter();
    givenUp.giveUp(WEB, CatalogWork.VOLUME);
    Ownership next = session.enter();
    givenUp.giveUp(WEB, CatalogWork.VOLUME);
    givenUp.end();

    assertThat(session.enter().owner()).isEqualTo(next.owner());
  }

  @Test
  void theSessionOfAProcessThatWasKilledWhileItDidNothingIsRemoved() {
    ControlPlaneSession killed = session("three");
    killed.enter().end();
    assertThat(sessions()).hasSize(1);
    other.endLeft();
    time.pass(Duration.ofSeconds(29));
    other.endLeft();
    assertThat(sessions()).as("it was seen for less than 30 s").hasSize(1);
    time.pass(Duration.ofSeconds(1));
    other.endLeft();
    assertThat(sessions()).isEmpty();
  }

  @Test
  void aSessionUnderWhichWorkGoesOnIsNotLeftOver() {
    Ownership work = session.enter();
    for (int i = 0; i < 10; i++) {
      other.endLeft();
      session.endLeft();
      time.pass(Duration.ofSeconds(10));
    }
    assertThat(work.mayCall()).isTrue();
    assertThat(sessions()).hasSize(1);
  }

  @Test
  void theStateOfTheSessionIsReportedWhenItBecomesUncertainIsLostAndRecovers() {
    assertThat(session.state()).isEqualTo(ControlPlaneStatus.Session.IDLE);
    Ownership work = session.enter();
    assertThat(session.state()).isEqualTo(ControlPlaneStatus.Session.ACTIVE);
    isDown.set(true);
    time.pass(Duration.ofSeconds(23));
    assertThat(events).containsExactly(changed(ControlPlaneStatus.Session.UNCERTAIN));
    assertThat(work.mayCall()).isFalse();

    isDown.set(false);
    time.pass(Duration.ofSeconds(8));
    endAsAnotherControlPlane(work);
    time.pass(Duration.ofSeconds(8));
    assertThat(session.state()).isEqualTo(ControlPlaneStatus.Session.LOST);
    work.end();
    time.pass(Duration.ofSeconds(8));

    assertThat(events)
        .containsExactly(
            changed(ControlPlaneStatus.Session.UNCERTAIN),
            changed(ControlPlaneStatus.Session.ACTIVE),
            changed(ControlPlaneStatus.Session.LOST),
            changed(ControlPlaneStatus.Session.IDLE));
  }

  @Test
  void changesOfTheStateAreReportedInTheirOrderWhicheverThreadComesFirst() {
    Deque<Runnable> threads = new ArrayDeque<>();
    ControlPlaneSession hasty = session("three", threads::push);
    Ownership work = hasty.enter();
    time.pass(Duration.ofSeconds(21));
    hasty.report();
    var unused = hasty.enter();
    assertThat(hasty.state()).isEqualTo(ControlPlaneStatus.Session.ACTIVE);
    for (Runnable next = threads.poll(); next != null; next = threads.poll()) {
      next.run();
    }

    assertThat(events)
        .containsExactly(
            changed(ControlPlaneStatus.Session.UNCERTAIN),
            changed(ControlPlaneStatus.Session.ACTIVE));
    work.end();
    hasty.close();
  }

  private static ControllerEvent changed(ControlPlaneStatus.Session state) {
    return new ControllerEvent.SessionChanged(state);
  }

  @Test
  void workThatIsGivenUpIsReportedOnce() {
    Ownership work = session.enter();
    work.giveUp(WEB, CatalogWork.VOLUME);
    work.giveUp(WEB, CatalogWork.VOLUME);
    work.end();
    time.pass(Duration.ofSeconds(1));
    assertThat(events).containsExactly(new ControllerEvent.GivenUp(WEB));
  }

  @Test
  void aStoreThatAcceptsNoWritesIsReportedOnceAndSoIsThatItAcceptsThemAgain() {
    Optional<ReasonText> why = Optional.of(new ReasonText("it may have lost records"));
    readOnly.set(why);
    session.endLeft();
    session.endLeft();
    readOnly.set(Optional.empty());
    session.endLeft();
    time.pass(Duration.ofSeconds(1));

    assertThat(events)
        .containsExactly(
            new ControllerEvent.StoreChanged(why),
            new ControllerEvent.StoreChanged(Optional.empty()));
  }

  @Test
  void aControlPlaneWhoseIdleSessionWasRemovedBeginsAnother() {
    Ownership first = session.enter();
    first.end();
    other.endLeft();
    time.pass(Duration.ofSeconds(31));
    other.endLeft();
    assertThat(sessions()).isEmpty();

    Ownership next = session.enter();
    assertThat(next.owner()).isNotEqualTo(first.owner());
    assertThat(next.mayCall()).isTrue();
    assertThat(sessions()).hasSize(1);
  }

  @Test
  void aSessionOfThisProcessThatCouldNotBeRemovedIsRemovedLater() {
    Ownership work = session.enter();
    work.giveUp(WEB, CatalogWork.VOLUME);
    isDown.set(true);
    work.end();
    isDown.set(false);
    assertThat(sessions()).hasSize(1);
    session.endLeft();
    assertThat(sessions()).isEmpty();
  }

  @Test
  void noCallIsSentUnderASessionThatAnotherControlPlaneHasEnded() {
    Ownership stood = session.enter();
    assertThat(other.isOver(stood.owner())).isFalse();
    endAsAnotherControlPlane(stood);
    time.pass(Duration.ofSeconds(8));

    assertThat(stood.mayCall()).isFalse();
    assertThat(session.isGivenUp(DB, workOf(stood))).isTrue();
    assertThat(session.enter().owner()).isNotEqualTo(stood.owner());
  }

  /** Ends the session of work that stands still: its timers do not run meanwhile. */
  private void endAsAnotherControlPlane(Ownership stood) {
    VirtualTime later = new VirtualTime();
    later.pass(Duration.ofSeconds(31));
    ControlPlaneSession waiter =
        new ControlPlaneSession(
            store,
            "three",
            later,
            later,
            later,
            Duration.ZERO,
            new OperationReports(List.of(), later));
    assertThat(waiter.isOver(stood.owner())).isTrue();
    waiter.close();
  }

  /** Its first write would count again, as nothing is there, and renew work that others have. */
  @Test
  void aSessionThatWasEndedDoesNotComeBackWithALateWriteOfItsBeginning() {
    unanswered.set(1);
    Ownership stood = session.enter();
    endAsAnotherControlPlane(stood);
    late.forEach(store::write);
    time.pass(Duration.ofSeconds(8));

    assertThat(stood.mayCall()).isFalse();
    assertThat(session.isGivenUp(DB, workOf(stood))).isTrue();
    session.endLeft();
    assertThat(sessions()).as("no work goes on under it").isEmpty();
  }

  @Test
  void aSessionOfWhichNoWriteIsConfirmedDoesNotBegin() {
    unanswered.set(8);
    assertThatThrownBy(session::enter)
        .isInstanceOfSatisfying(
            RecordFailure.class,
            failed -> assertThat(failed.outcome()).isEqualTo(ChangeOutcome.UNCERTAIN));
    late.forEach(store::write);
    Ownership work = session.enter();
    session.endLeft();

    assertThat(sessions()).hasSize(1);
    assertThat(work.mayCall()).isTrue();
  }
}
