package io.csi4j.client.internal;

import io.csi4j.client.model.CsiException;
import io.csi4j.client.model.CsiFailure;
import io.csi4j.client.model.Listing;
import io.csi4j.client.model.StatusCode;
import io.csi4j.client.model.Violation;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Supplier;

/** A listing read page by page. */
final class PagedListing<E> implements Listing<E> {

  /** One page, and the token of the next. */
  record Page<E>(List<E> entries, Optional<String> nextToken) {}

  /** How much is read at the most; see {@link Listing}. */
  record Limits(int pages, int entries, int emptyPages, int restarts) {}

  private static final Limits LIMITS =
      new Limits(MAX_PAGES, MAX_ENTRIES, MAX_EMPTY_PAGES, MAX_RESTARTS);

  private final String firstToken;
  private final Function<String, Page<E>> pages;
  private final Function<E, String> id;
  private final Supplier<CsiFailure.Builder> failure;
  private final Limits limits;

  /**
   * A listing that begins at {@code firstToken}.
   *
   * @param pages reads the page of a token
   * @param id tells entries apart
   * @param failure begins the description of a failure of this listing
   */
  PagedListing(
      String firstToken,
      Function<String, Page<E>> pages,
      Function<E, String> id,
      Supplier<CsiFailure.Builder> failure) {
    this(firstToken, pages, id, failure, LIMITS);
  }

  /** A listing with limits of its own. */
  PagedListing(
      String firstToken,
      Function<String, Page<E>> pages,
      Function<E, String> id,
      Supplier<CsiFailure.Builder> failure,
      Limits limits) {
    this.firstToken = firstToken;
    this.pages = pages;
    this.id = id;
    this.failure = failure;
    this.limits = limits;
  }

  @Override
  public Iterator<E> iterator() {
    return new Pager();
  }

  /**
   * A position in the listing. Tokens are remembered as digests, so that long ones cost nothing;
   * ids too, but only those that a plugin which forgets its tokens would give out again: a list of
   * one page costs nothing, a longer one less than 100 bytes for each entry.
   */
  private final class Pager implements Iterator<E> {
    private final Set<Digest> tokens = new HashSet<>();
    private final Set<Digest> delivered = new HashSet<>();
    private Iterator<E> page = List.<E>of().iterator();
    private Optional<String> nextToken = Optional.of(firstToken);
    private Optional<E> next = Optional.empty();
    private Optional<String> flaw = Optional.empty();
    private int pagesRead;
    private int entriesRead;
    private int emptyInARow;
    private int restarts;

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
        // Only a list that was begun again repeats what was delivered; otherwise, the plugin means
        // it.
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
      Page<E> read;
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
      }
      pagesRead++;
      emptyInARow = read.entries().isEmpty() ? emptyInARow + 1 : 0;
      page = read.entries().iterator();
      nextToken = read.nextToken();
      // What is wrong with the list is told behind the entries of this page.
      if (nextToken.isPresent() && !tokens.add(Digest.of(nextToken.get()))) {
        flaw = Optional.of("the token of page " + pagesRead + " had been given out before");
      } else if (nextToken.isPresent() && emptyInARow > limits.emptyPages()) {
        flaw = Optional.of(emptyInARow + " pages in a row were empty");
      }
    }

    /** A forgotten token; the caller's own first token is for the caller to replace. */
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

  /** Half of a SHA-256, which is enough to tell texts apart. */
  private record Digest(long high, long low) {
    static Digest of(String text) {
      try {
        byte[] hash =
            MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
        ByteBuffer bytes = ByteBuffer.wrap(hash);
        return new Digest(bytes.getLong(), bytes.getLong());
      } catch (NoSuchAlgorithmException impossible) {
        throw new LinkageError("every Java has SHA-256", impossible);
      }
    }
  }
}
