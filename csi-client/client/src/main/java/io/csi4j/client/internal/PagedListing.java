package io.csi4j.client.internal;

import io.csi4j.client.model.CsiException;
import io.csi4j.client.model.CsiFailure;
import io.csi4j.client.model.Listing;
import io.csi4j.client.model.Page;
import io.csi4j.client.model.StatusCode;
import io.csi4j.client.model.Violation;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/** A listing read page by page. */
final class PagedListing<E> implements Listing<E> {

  /** The limits of a listing; see {@link Listing}. */
  record Limits(int pages, int entries, int emptyPages, int restarts, Duration longest) {}

  private static final Limits LIMITS =
      new Limits(MAX_PAGES, MAX_ENTRIES, MAX_EMPTY_PAGES, MAX_RESTARTS, MAX_WAIT);

  private final String firstToken;
  private final Function<String, Page<E>> pages;
  private final Function<E, String> id;
  private final Supplier<CsiFailure.Builder> failure;
  private final LongSupplier nanoTime;
  private final Limits limits;

  /**
   * A listing that begins at {@code firstToken}.
   *
   * @param pages reads the page of a token
   * @param id returns the text that identifies an entry
   * @param failure begins the description of a failure of this listing
   * @param nanoTime the clock, in nanoseconds
   */
  PagedListing(
      String firstToken,
      Function<String, Page<E>> pages,
      Function<E, String> id,
      Supplier<CsiFailure.Builder> failure,
      LongSupplier nanoTime) {
    this(firstToken, pages, id, failure, nanoTime, LIMITS);
  }

  /** Creates a listing with other limits, for tests. */
  PagedListing(
      String firstToken,
      Function<String, Page<E>> pages,
      Function<E, String> id,
      Supplier<CsiFailure.Builder> failure,
      LongSupplier nanoTime,
      Limits limits) {
    this.firstToken = firstToken;
    this.pages = pages;
    this.id = id;
    this.failure = failure;
    this.nanoTime = nanoTime;
    this.limits = limits;
  }

  @Override
  public Iterator<E> iterator() {
    return new Pager();
  }

  /**
   * A position in the listing. It remembers digests of tokens, so that long tokens need no more
   * memory. It also remembers digests of the ids that would be returned again after a restart. A
   * list of one page needs no digests of ids; a longer list needs at most 32 bytes for each entry.
   */
  private final class Pager implements Iterator<E> {
    private final Set<Digest> tokens = new HashSet<>();
    private final DigestSet delivered = new DigestSet();
    private Iterator<E> page = List.<E>of().iterator();
    private Optional<String> nextToken = Optional.of(firstToken);
    private Optional<E> next = Optional.empty();
    private Optional<String> flaw = Optional.empty();
    private int pagesRead;
    private int entriesRead;
    private int emptyInARow;
    private int restarts;
    private long waited;

    Pager() {
      tokens.add(Digest.of(firstToken));
    }

    @Override
    public boolean hasNext() {
      while (next.isEmpty()) {
        if (page.hasNext()) {
          take();
        } else if (flaw.isPresent()) {
          throw endless(flaw.get());
        } else if (nextToken.isPresent()) {
          turn(nextToken.get());
        } else {
          return false;
        }
      }
      return true;
    }

    @Override
    public E next() {
      if (!hasNext()) {
        throw new NoSuchElementException("The list has ended.");
      }
      E entry = next.orElseThrow();
      next = Optional.empty();
      return entry;
    }

    private void take() {
      if (entriesRead >= limits.entries()) {
        throw endless("the list did not end after " + entriesRead + " entries");
      }
      entriesRead++;
      E entry = page.next();
      boolean again = false;
      if (restarts > 0 || mayComeAgain()) {
        // An entry is skipped as a repetition only after a restart of the list. Without a restart,
        // the plugin returned the entry twice on purpose.
        again = !delivered.add(Digest.of(id.apply(entry))) && restarts > 0;
      }
      if (!again) {
        next = Optional.of(entry);
      }
    }

    private boolean mayComeAgain() {
      return firstToken.isEmpty() && nextToken.isPresent() && limits.restarts() > 0;
    }

    private void turn(String token) {
      if (pagesRead >= limits.pages()) {
        throw endless("the list did not end after " + pagesRead + " pages");
      }
      if (waited >= limits.longest().toNanos()) {
        throw endless(
            "the list did not end after "
                + pagesRead
                + " pages, which took the plugin "
                + TimeUnit.NANOSECONDS.toSeconds(waited)
                + " s");
      }
      Page<E> read;
      long asked = nanoTime.getAsLong();
      try {
        read = pages.apply(token);
      } catch (CsiException failed) {
        if (!mayRestart(failed, token)) {
          throw failed;
        }
        restarts++;
        tokens.clear();
        emptyInARow = 0;
        nextToken = Optional.of(firstToken);
        return;
      } finally {
        waited += nanoTime.getAsLong() - asked;
      }
      pagesRead++;
      emptyInARow = read.entries().isEmpty() ? emptyInARow + 1 : 0;
      page = read.entries().iterator();
      nextToken = read.nextToken();
      // A fault of the list is reported after the entries of this page.
      if (nextToken.isPresent() && !tokens.add(Digest.of(nextToken.get()))) {
        flaw = Optional.of("the token of page " + pagesRead + " was returned before");
      } else if (nextToken.isPresent() && emptyInARow > limits.emptyPages()) {
        flaw = Optional.of(emptyInARow + " pages in a row were empty");
      }
    }

    /**
     * Returns whether the listing may restart after the plugin no longer accepted the token. If the
     * listing began with a token of the caller, only the caller can replace it.
     */
    private boolean mayRestart(CsiException failed, String token) {
      return failed.code() == StatusCode.ABORTED
          && firstToken.isEmpty()
          && !token.isEmpty()
          && restarts < limits.restarts();
    }

    private CsiException endless(String why) {
      return CallFailures.unusable(
          failure.get(),
          List.of(new Violation("next_token", Violation.Rule.ENDLESS, why)),
          Optional.empty());
    }
  }

  /** One half of a SHA-256 digest, which is enough to distinguish texts. */
  private record Digest(long high, long low) {
    static Digest of(String text) {
      try {
        byte[] hash =
            MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
        ByteBuffer bytes = ByteBuffer.wrap(hash);
        return new Digest(bytes.getLong(), bytes.getLong());
      } catch (NoSuchAlgorithmException impossible) {
        throw new LinkageError("every JDK has SHA-256", impossible);
      }
    }
  }

  /**
   * A compact set of digests, for lists with up to a million entries. Keeps only the first half of
   * each digest.
   */
  private static final class DigestSet {
    private long[] slots = new long[64];
    private int size;
    private boolean hasZero;

    /** Adds a digest; returns false if it was present. */
    boolean add(Digest digest) {
      if (digest.high() == 0) {
        boolean isNew = !hasZero;
        hasZero = true;
        return isNew;
      }
      if (size > slots.length / 2) {
        long[] before = slots;
        slots = new long[2 * before.length];
        for (long each : before) {
          if (each != 0) {
            slots[slotOf(each)] = each;
          }
        }
      }
      int slot = slotOf(digest.high());
      boolean isNew = slots[slot] == 0;
      if (isNew) {
        slots[slot] = digest.high();
        size++;
      }
      return isNew;
    }

    /** Returns the slot of a digest, or the free slot where it belongs. */
    private int slotOf(long digest) {
      int slot = (int) digest & (slots.length - 1);
      while (slots[slot] != 0 && slots[slot] != digest) {
        slot = (slot + 1) & (slots.length - 1);
      }
      return slot;
    }
  }
}
