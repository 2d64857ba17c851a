package io.csi4j.volume.claim.etcd;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.volume.claim.etcd.Etcd.Failure.Fate;
import io.csi4j.volume.internal.time.VirtualTime;
import io.csi4j.volume.model.ReasonText;
import io.csi4j.volume.model.VolumeKey;
import io.csi4j.volume.store.RecordKey;
import io.csi4j.volume.store.RecordKey.Space;
import io.csi4j.volume.store.RecordStore.Watch;
import io.csi4j.volume.store.RecordStore.Watch.Change;
import io.csi4j.volume.store.StoreIdentity;
import io.csi4j.volume.store.StoredRecord;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class EtcdWatchTest {

  private static final RecordKey DB = RecordKey.of(Space.CLAIMS, VolumeKey.of("db"));
  private static final Duration PAUSE = Duration.ofMillis(100);
  private static final Change.Missed THROWN_AWAY =
      new Change.Missed(new ReasonText("etcd has discarded a part of its history meanwhile"));
  private static final Change.Missed ANOTHER =
      new Change.Missed(
          new ReasonText(
              "etcd has another identity than before, or was restored " + "to an older state"));

  private final VirtualTime time = new VirtualTime();
  private final ScriptedEtcd etcd = new ScriptedEtcd();
  private final EtcdStore store =
      new EtcdStore(etcd, time, EtcdSettings.of(URI.create("http://h:1")), true);
  private final Watch watch = store.watch(Space.CLAIMS);

  private static Change written(long revision) {
    return new Change.Written(StoredRecord.of(DB, revision, new byte[] {(byte) revision}));
  }

  private ScriptedEtcd.Watched connected(int connections) {
    time.settle();
    assertThat(etcd.watched).hasSize(connections);
    return etcd.watched.get(connections - 1);
  }

  private Optional<Change> next() throws InterruptedException {
    return watch.next(Duration.ZERO);
  }

  private static void tell(ScriptedEtcd.Watched connection, long... revisions) {
    connection
        .follower()
        .told(
            revisions[revisions.length - 1],
            LongStream.of(revisions).mapToObj(EtcdWatchTest::written).toList());
  }

  @Test
  void aWatchBeginsBehindWhatWasThereWhenItWasMade() throws InterruptedException {
    etcd.at(12);
    ScriptedEtcd.Watched first = connected(1);
    assertThat(first.from()).isEqualTo(11);

    tell(first, 11, 12);

    assertThat(next()).contains(written(11));
    assertThat(next()).contains(written(12));
    assertThat(next()).isEmpty();
  }

  @Test
  void aLostConnectionIsMadeAgainBehindTheLastThatWasTold() throws InterruptedException {
    ScriptedEtcd.Watched first = connected(1);
    tell(first, 11, 15);
    etcd.at(20);
    first.follower().ended(false);

    time.pass(PAUSE.minusMillis(1));
    assertThat(etcd.watched).hasSize(1);
    assertThat(first.isClosed()).isTrue();
    time.pass(Duration.ofMillis(1));

    ScriptedEtcd.Watched second = connected(2);
    assertThat(second.from()).isEqualTo(16);
    tell(first, 99);
    tell(second, 16);
    assertThat(next()).contains(written(11));
    assertThat(next()).contains(written(15));
    assertThat(next()).contains(written(16));
    assertThat(next()).isEmpty();
  }

  @Test
  void whileEtcdIsGoneItIsTriedMoreAndMoreSeldom() {
    ScriptedEtcd.Watched first = connected(1);
    for (int i = 0; i < 8; i++) {
      etcd.then(new Etcd.Failure(Fate.UNKNOWN, "gone", "Wait", null));
    }
    first.follower().ended(false);

    for (long pause : List.of(100L, 200L, 400L, 800L, 1600L, 3200L, 5000L, 5000L)) {
      time.settle();
      assertThat(time.timers()).containsExactly(Duration.ofMillis(pause));
      time.pass(Duration.ofMillis(pause));
    }
    time.pass(Duration.ofSeconds(5));
    tell(connected(2), 11);
    etcd.watched.get(1).follower().ended(false);
    time.settle();
    assertThat(time.timers()).containsExactly(PAUSE);
  }

  @Test
  void aWatchIsMadeAgainWhateverTheClientThrows() throws InterruptedException {
    ScriptedEtcd.Watched first = connected(1);
    etcd.then(new IllegalStateException("the channel is shut down"));
    first.follower().ended(false);

    time.pass(PAUSE);
    assertThat(etcd.watched).hasSize(1);
    time.pass(PAUSE.multipliedBy(2));

    tell(connected(2), 11);
    assertThat(next()).contains(written(11));
  }

  @Test
  void whatEtcdHasThrownAwayIsMissedAndTheRestComes() throws InterruptedException {
    ScriptedEtcd.Watched first = connected(1);
    tell(first, 11);
    etcd.at(50);
    first.follower().ended(true);
    assertThat(next()).contains(written(11));
    assertThat(next()).isEmpty();
    time.pass(PAUSE);

    ScriptedEtcd.Watched second = connected(2);
    assertThat(second.from()).isEqualTo(51);
    tell(second, 51);
    assertThat(next()).contains(THROWN_AWAY);
    assertThat(next()).contains(written(51));
  }

  @Test
  void whoIsTooSlowMissesNothing() throws InterruptedException {
    ScriptedEtcd.Watched first = connected(1);
    for (long revision = 11; revision < 10_011; revision++) {
      tell(first, revision);
    }
    etcd.at(20_000);
    tell(first, 10_011);
    tell(first, 10_012);
    time.settle();
    assertThat(first.isClosed()).isTrue();

    for (long revision = 11; revision < 10_011; revision++) {
      assertThat(next()).contains(written(revision));
    }
    assertThat(next()).isEmpty();

    ScriptedEtcd.Watched second = connected(2);
    assertThat(second.from()).isEqualTo(10_011);
    tell(second, 10_011, 10_012);
    assertThat(next()).contains(written(10_011));
    assertThat(next()).contains(written(10_012));
  }

  @Test
  void anEtcdThatHasGoneBackIsMissedThoughItWouldAnswerLater() throws InterruptedException {
    ScriptedEtcd.Watched first = connected(1);
    tell(first, 30);
    assertThat(next()).contains(written(30));
    etcd.at(20);
    first.follower().ended(false);
    time.pass(PAUSE);

    assertThat(connected(2).from()).isEqualTo(21);
    assertThat(next()).contains(ANOTHER);
    assertThat(next()).isEmpty();
  }

  @Test
  void anEtcdThatHasGoneBackToWhatTheWatchHadNotSeenYetIsMissedToo() throws InterruptedException {
    ScriptedEtcd.Watched first = connected(1);
    tell(first, 30);
    assertThat(next()).contains(written(30));
    etcd.at(50);
    store.read(DB);
    etcd.at(40);
    first.follower().ended(false);
    time.pass(PAUSE);

    assertThat(connected(2).from()).isEqualTo(41);
    assertThat(next()).contains(ANOTHER);
    etcd.watched.get(1).follower().ended(false);
    time.pass(PAUSE.multipliedBy(2));
    assertThat(connected(3).from()).isEqualTo(41);
    assertThat(next()).isEmpty();
  }

  @Test
  void anEtcdThatGoesBackASecondTimeIsMissedAgain() throws InterruptedException {
    ScriptedEtcd.Watched first = connected(1);
    tell(first, 30);
    assertThat(next()).contains(written(30));
    etcd.at(20);
    first.follower().ended(false);
    time.pass(PAUSE);
    assertThat(next()).contains(ANOTHER);
    tell(connected(2), 40);
    assertThat(next()).contains(written(40));

    etcd.at(25);
    etcd.watched.get(1).follower().ended(false);
    time.pass(PAUSE);

    assertThat(connected(3).from()).isEqualTo(26);
    assertThat(next()).contains(ANOTHER);
    assertThat(next()).isEmpty();
  }

  @Test
  void anotherStoreIsMissed() throws InterruptedException {
    ScriptedEtcd.Watched first = connected(1);
    etcd.becomes(new StoreIdentity("other"));
    etcd.at(70);
    first.follower().ended(false);
    time.pass(PAUSE);

    assertThat(connected(2).from()).isEqualTo(71);
    assertThat(next()).contains(ANOTHER);
    etcd.watched.get(1).follower().ended(false);
    time.pass(PAUSE.multipliedBy(2));
    assertThat(connected(3).from()).isEqualTo(71);
    assertThat(next()).isEmpty();
  }

  @Test
  void aClosedWatchIsNotConnectedAgain() throws InterruptedException {
    ScriptedEtcd.Watched first = connected(1);
    first.follower().ended(false);
    time.settle();
    assertThat(time.timers()).containsExactly(PAUSE);
    watch.close();

    assertThat(time.waiting()).isZero();
    assertThat(etcd.watched).hasSize(1);
    assertThat(watch.next(Duration.ofDays(1))).isEmpty();
  }

  @Test
  void aClosedStoreClosesItsWatches() throws InterruptedException {
    ScriptedEtcd.Watched first = connected(1);
    store.close();

    assertThat(first.isClosed()).isTrue();
    assertThat(watch.next(Duration.ofDays(1))).isEmpty();
    assertThat(etcd.asked).endsWith("close");
  }
}
