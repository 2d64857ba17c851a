package io.csi4j.volume.claim.etcd;

import io.csi4j.volume.claim.spi.ClaimWatch.Change;
import io.etcd.jetcd.ByteSequence;
import io.etcd.jetcd.Watch;
import io.etcd.jetcd.common.exception.CompactedException;
import io.etcd.jetcd.options.WatchOption;
import io.etcd.jetcd.watch.WatchEvent;
import io.etcd.jetcd.watch.WatchResponse;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;

/**
 * One watch of jetcd, from a revision until the first trouble. Left to itself jetcd would go on by
 * itself, at a revision that may be too late: it takes the one that etcd was at when the watch was
 * made, though older ones may not have come yet.
 */
final class JetcdFollowing implements Etcd.Following, Watch.Listener {

  private final WriteFollower follower;
  private final Function<WatchEvent, Change> reading;
  private final AtomicBoolean over = new AtomicBoolean();
  private volatile Optional<Watch.Watcher> watcher = Optional.empty();

  private JetcdFollowing(WriteFollower follower, Function<WatchEvent, Change> reading) {
    this.follower = follower;
    this.reading = reading;
  }

  static JetcdFollowing of(
      Watch watch,
      KeySpace keys,
      long from,
      WriteFollower follower,
      Function<WatchEvent, Change> reading) {
    JetcdFollowing following = new JetcdFollowing(follower, reading);
    WatchOption option =
        WatchOption.builder()
            .withRange(ByteSequence.from(keys.end()))
            .withRevision(from)
            .withRequireLeader(true)
            .build();
    following.watcher =
        Optional.of(watch.watch(ByteSequence.from(keys.first()), option, following));
    return following;
  }

  @Override
  public void onNext(WatchResponse response) {
    List<WatchEvent> events = response.getEvents();
    if (over.get() || events.isEmpty()) {
      return;
    }
    long last = events.get(events.size() - 1).getKeyValue().getModRevision();
    follower.told(last, events.stream().map(reading).toList());
  }

  @Override
  public void onError(Throwable thrown) {
    end(thrown instanceof CompactedException);
  }

  @Override
  public void onCompleted() {
    end(false);
  }

  private void end(boolean isCompacted) {
    if (over.compareAndSet(false, true)) {
      follower.ended(isCompacted);
    }
  }

  @Override
  public void close() {
    over.set(true);
    watcher.ifPresent(Watch.Watcher::close);
  }
}
