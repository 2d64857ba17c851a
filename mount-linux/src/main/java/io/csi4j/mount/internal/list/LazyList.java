package io.csi4j.mount.internal.list;

import java.util.AbstractList;
import java.util.Iterator;
import java.util.List;
import java.util.RandomAccess;
import java.util.Spliterator;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * An immutable list that creates its elements, all at once, when the first of them is accessed. The
 * size is known before. Every thread sees the same elements.
 */
public final class LazyList<E> extends AbstractList<E> implements RandomAccess {

  private final int size;
  private final ReentrantLock lock = new ReentrantLock();

  /** Creates the elements; dropped with all that it refers to once they exist. */
  private @Nullable Supplier<List<E>> maker;

  private volatile @Nullable List<E> made;

  /**
   * Creates a list of these elements.
   *
   * @param maker called once, unless it fails
   */
  public LazyList(int size, Supplier<List<E>> maker) {
    this.size = size;
    this.maker = maker;
  }

  @Override
  public int size() {
    return size;
  }

  @Override
  public E get(int index) {
    return made().get(index);
  }

  @Override
  public Iterator<E> iterator() {
    return made().iterator();
  }

  @Override
  public Spliterator<E> spliterator() {
    return made().spliterator();
  }

  @Override
  public List<E> subList(int from, int to) {
    return made().subList(from, to);
  }

  @Override
  public Object[] toArray() {
    return made().toArray();
  }

  @Override
  public boolean contains(Object element) {
    return made().contains(element);
  }

  private List<E> made() {
    List<E> there = made;
    return there == null ? make() : there;
  }

  private List<E> make() {
    lock.lock();
    try {
      List<E> there = made;
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
