package io.csi4j.volume.claim.etcd;

import io.csi4j.volume.store.RecordKey;
import io.csi4j.volume.store.RecordWrite;
import io.csi4j.volume.store.StoreIdentity;
import io.csi4j.volume.store.StoredRecord;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;

/** An etcd that answers what it is told to, and remembers what it was asked. */
final class ScriptedEtcd implements Etcd {

  static final long CLUSTER = 0xabc;

  /** A watch that was made. */
  record Watched(long from, Etcd.Follower follower, AtomicBoolean isClosed) {}

  final List<String> asked = new ArrayList<>();
  final List<Watched> watched = new ArrayList<>();
  private final Deque<Object> answers = new ArrayDeque<>();
  private StoreIdentity mark = new StoreIdentity("m1");
  private long revision = 10;

  /** The results of the next calls: an {@link Etcd.Answer}, or an exception. */
  ScriptedEtcd then(Object... coming) {
    answers.addAll(List.of(coming));
    return this;
  }

  /** Lets it be at this revision from now on. */
  void at(long next) {
    revision = next;
  }

  /** Puts another store in its place. */
  void becomes(StoreIdentity other) {
    mark = other;
  }

  StoreIdentity mark() {
    return mark;
  }

  Etcd.Answer answer(boolean isDone, long at, StoredRecord... records) {
    return new Etcd.Answer(isDone, at, CLUSTER, Optional.of(mark), List.of(records));
  }

  private Etcd.Answer next(String question) {
    asked.add(question);
    Object next = answers.isEmpty() ? answer(true, revision) : answers.remove();
    if (next instanceof RuntimeException failure) {
      throw failure;
    }
    return (Etcd.Answer) next;
  }

  @Override
  public Etcd.Answer look() {
    return next("look");
  }

  @Override
  public Etcd.Answer read(RecordKey key) {
    return next("read " + key);
  }

  @Override
  public Etcd.Answer scan(RecordKey.Space space, Optional<RecordKey> after, int limit) {
    return next("scan " + space + " " + limit);
  }

  @Override
  public Etcd.Answer mark(StoreIdentity candidate) {
    mark = candidate;
    return next("mark");
  }

  @Override
  public Etcd.Answer write(StoreIdentity store, List<RecordWrite> writes) {
    RecordWrite first = writes.get(0);
    return next(
        "write " + first.key() + " after " + first.seen().map(StoredRecord::version).orElse(0L));
  }

  @Override
  public Runnable follow(RecordKey.Space space, long from, Etcd.Follower follower) {
    AtomicBoolean isClosed = new AtomicBoolean();
    watched.add(new Watched(from, follower, isClosed));
    return () -> isClosed.set(true);
  }

  @Override
  public void close() {
    asked.add("close");
  }
}
