package io.csi4j.mount.internal.table;

import io.csi4j.mount.MountRecord;
import java.util.AbstractList;
import java.util.Iterator;
import java.util.List;
import java.util.RandomAccess;
import java.util.Spliterator;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * An immutable list of mounts that are made when one of them is first looked at, all at once. How
 * many there are is known before. Every thread sees the same mounts.
 */
public final class LazyRecords extends AbstractList<MountRecord> implements RandomAccess {

  private final int size;
  private final ReentrantLock lock = new ReentrantLock();

  /** What makes them, forgotten with all that it holds once they are there. */
  private @Nullable Supplier<List<MountRecord>> maker;

  private volatile @Nullable List<MountRecord> made;

  /**
   * A list of what this makes.
   *
   * @param maker called once, unless it fails
   */
  LazyRecords(int size, Supplier<List<MountRecord>> maker) {
    this.size = size;
    this.maker = maker;
  }

  @Override
  public int size() {
    return size;
  }

  @Override
  public MountRecord get(int index) {
    return made().get(index);
  }

  @Override
  public Iterator<MountRecord> iterator() {
    return made().iterator();
  }

  @Override
  public Spliterator<MountRecord> spliterator() {
    return made().spliterator();
  }

  @Override
  public List<MountRecord> subList(int from, int to) {
    return made().subList(from, to);
  }

  @Override
  public Object[] toArray() {
    return made().toArray();
  }

  @Override
  public boolean contains(Object mount) {
    return made().contains(mount);
  }

  private List<MountRecord> made() {
    List<MountRecord> there = made;
    return there == null ? make() : there;
  }

  private List<MountRecord> make() {
    lock.lock();
    try {
      List<MountRecord> there = made;
      if (there == null && maker != null) {
        there = List.copyOf(maker.get());
        made = there;
        maker = null;
      }
      return there == null ? List.of() : there;
    } finally {
      lock.unlock();
    }
  }
}
