package io.csi4j.volume.controller.sim;

import io.csi4j.volume.model.VolumeKey;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/** Control planes, the store that they share, a storage system, and all that goes wrong. */
final class PlaneWorld {

  /** What was counted. */
  enum Count {
    ACKNOWLEDGED,
    MADE,
    MADE_LATE,
    DELETED,
    GROWN,
    SNAPSHOTS,
    KEPT,
    DROPPED,
    GRANTED,
    RELEASED,
    WRITTEN_TOGETHER,
    TAKEN_OVER,
    GIVEN_UP,
    ANSWERED_FOR,
    FAILED,
    KILLS,
    STOPS,
    CUTS
  }

  /**
   * What is played.
   *
   * @param planes the number of control planes
   * @param volumes the number of volumes
   * @param attaches whether the plugin attaches volumes to nodes
   * @param together whether the store writes several records at once
   * @param snapshots whether snapshots are cut, kept and dropped
   * @param time how long things go wrong
   * @param lost the rule that is not kept; null for none
   * @param tells whether the story is kept
   */
  record Play(
      long seed,
      int planes,
      int volumes,
      boolean attaches,
      boolean together,
      boolean snapshots,
      Duration time,
      LostRule lost,
      boolean tells) {}

  /** All work ends by itself within this time, once nothing goes wrong any more. */
  private static final Duration END = Duration.ofMinutes(15);

  final Play play;
  final Timeline timeline;
  final SharedStore store;
  final StorageSystem storage;
  final Judge judge;
  final List<VolumeKey> keys = new ArrayList<>();
  final Map<Count, Long> counts = new EnumMap<>(Count.class);
  final List<String> story = new ArrayList<>();

  /** What is on its way between processes, and outlives them. */
  final Timeline.SimProcess network = new Timeline.SimProcess();

  private final Timeline.SimProcess chaos = new Timeline.SimProcess();
  private final List<ControlPlane> planes = new ArrayList<>();
  private final List<Timeline.SimProcess> all = new ArrayList<>(List.of(network, chaos));
  private final long begin;
  private boolean isCalm;

  final Clock clock =
      new Clock() {
        @Override
        public ZoneId getZone() {
          return ZoneOffset.UTC;
        }

        @Override
        public Clock withZone(ZoneId zone) {
          return this;
        }

        @Override
        public Instant instant() {
          return Instant.EPOCH.plusNanos(timeline.now());
        }
      };

  PlaneWorld(Play play) {
    this.play = play;
    timeline = new Timeline(play.seed());
    begin = timeline.now();
    store = new SharedStore(this);
    storage = new StorageSystem(this);
    judge = new Judge(this);
    for (int i = 0; i < play.volumes(); i++) {
      keys.add(VolumeKey.of("v" + i));
    }
  }

  /** Plays all that goes wrong at random. */
  void play() {
    play(
        () -> {
          timeline.after(chaos, 0, this::disturb);
          timeline.play(play.time());
        });
  }

  /** The requests of a small setup. */
  enum Request {
    NONE,
    CREATE,
    DELETE,
    EXPAND,
    USE,
    CUT,
    KEEP,
    DROP
  }

  /** The requests of the first control plane of a small setup. */
  enum Course {
    /** It makes, grows, uses and deletes a volume. */
    VOLUME,
    /** It cuts a snapshot of a volume and keeps it, and cuts another one and drops it. */
    SNAPSHOTS;

    List<Request> requests() {
      return this == VOLUME
          ? List.of(Request.CREATE, Request.EXPAND, Request.USE, Request.DELETE)
          : List.of(Request.CUT, Request.KEEP, Request.CUT, Request.DROP, Request.DELETE);
    }
  }

  /**
   * A small setup. The first control plane does its course, and is halted at a step. Another one is
   * asked for something at that moment, and may be killed at a step, too.
   *
   * @param course the requests of the first one
   * @param together whether the store writes several records at once
   * @param at the step; the first is 1
   * @param stops whether the first one stands still for 100 s, and goes on; it is killed otherwise
   * @param then what the other one is asked for
   * @param alsoAt the step at which the other one is killed; 0 for none
   */
  record Setup(
      Course course, boolean together, long at, boolean stops, Request then, long alsoAt) {}

  /** Plays a small setup; returns whether both got as far as the steps at which they are halted. */
  boolean play(Setup setup) {
    boolean[] isReached = {false, setup.alsoAt() == 0};
    isCalm = true;
    play(
        () -> {
          timeline.play(Duration.ofSeconds(5));
          ControlPlane first = planes.get(0);
          ControlPlane second = planes.get(1);
          if (setup.course() == Course.SNAPSHOTS) {
            timeline.after(first, 0, () -> first.request(Request.CREATE));
            timeline.play(Duration.ofMinutes(1));
          }
          first.haltAt(
              setup.at(),
              () -> {
                isReached[0] = true;
                timeline.after(second, 0, () -> second.request(setup.then()));
                second.haltAt(
                    setup.alsoAt(),
                    () -> {
                      isReached[1] = true;
                      tell(second.name + " is killed");
                      timeline.kill(second);
                    });
                tell(first.name + " is halted");
                if (setup.stops()) {
                  timeline.stop(first, Duration.ofSeconds(100).toNanos());
                } else {
                  timeline.kill(first);
                }
              });
          timeline.after(first, 0, () -> setup.course().requests().forEach(first::request));
          timeline.play(Duration.ofMinutes(5));
          // It looks at sessions for ever: what comes later is the end that each history has.
          first.haltsNoMore();
          second.haltsNoMore();
        });
    return isReached[0] && isReached[1];
  }

  private void play(Runnable course) {
    try {
      for (int i = 0; i < play.planes(); i++) {
        start(i, 0, 0);
      }
      course.run();
      isCalm = true;
      planes.forEach(ControlPlane::heal);
      timeline.play(Duration.ofMinutes(3));
      ControlPlane last = planes.get(planes.size() - 1);
      timeline.after(last, 0, last::endClaims);
      timeline.play(END);
      judge.quiet();
      timeline.after(last, 0, last::deleteAll);
      timeline.play(END);
      judge.empty();
    } finally {
      timeline.close(all);
    }
  }

  private void start(int number, int life, long delay) {
    ControlPlane plane = new ControlPlane(this, number, life);
    if (planes.size() > number) {
      planes.set(number, plane);
    } else {
      planes.add(plane);
    }
    all.add(plane);
    timeline.after(plane, delay, plane::open);
  }

  private void disturb() {
    while (true) {
      timeline.sleep(millis(20_000));
      if (isCalm) {
        return;
      }
      ControlPlane plane = planes.get(timeline.pick(planes.size()));
      switch (timeline.pick(4)) {
        case 0 -> {
          count(Count.KILLS);
          tell(plane.name + " is killed");
          timeline.kill(plane);
          start(plane.number, plane.life + 1, millis(50_000));
        }
        case 1 -> {
          count(Count.STOPS);
          tell(plane.name + " stands still");
          timeline.stop(plane, millis(80_000));
        }
        case 2 -> {
          count(Count.CUTS);
          tell(plane.name + " does not reach the store");
          plane.cut(millis(40_000));
        }
        default -> {}
      }
    }
  }

  /** A random time, in nanoseconds. */
  long millis(int most) {
    return Duration.ofMillis(timeline.pick(most)).toNanos();
  }

  boolean isCalm() {
    return isCalm;
  }

  boolean lost(LostRule rule) {
    return play.lost() == rule && !isCalm;
  }

  boolean happens(double probability) {
    return !isCalm && timeline.random() < probability;
  }

  /** The time of one way between two processes. */
  long latency() {
    return happens(0.02) ? millis(8_000) : 1_000_000L + timeline.pick(20_000_000);
  }

  void count(Count what) {
    counts.merge(what, 1L, Long::sum);
  }

  void tell(String line) {
    if (play.tells()) {
      story.add(Duration.ofNanos(timeline.now() - begin).toMillis() + " " + line);
    }
  }

  /** Ends the history: a step of real code may take the error for one of its own. */
  AssertionError violation(String what) {
    tell("VIOLATION " + what);
    AssertionError violation = new AssertionError(what);
    timeline.broken(violation);
    return violation;
  }
}
