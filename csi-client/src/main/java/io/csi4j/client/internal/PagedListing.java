package io.csi4j.client.internal;

import io.csi4j.client.CsiException;
import io.csi4j.client.CsiFailure;
import io.csi4j.client.Listing;
import io.csi4j.client.StatusCode;
import io.csi4j.client.Violation;
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

  private final String firstToken;
  private final Function<String, Page<E>> pages;
  private final Function<E, String> id;
  private final Supplier<CsiFailure.Builder> failure;

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
    this.firstToken = firstToken;
    this.pages = pages;
    this.id = id;
    this.failure = failure;
  }

  @Override
  public Iterator<E> iterator() {
    return new Pager();
  }

  /** A position in the listing. Remembers tokens and ids as digests, so long ones cost nothing. */
  private final class Pager implements Iterator<E> {
    private final Set<Digest> tokens = new HashSet<>();
    private final Set<Digest> delivered = new HashSet<>();
    private Iterator<E> page = List.<E>of().iterator();
    private Optional<String> nextToken = Optional.of(firstToken);
    private int pagesRead;
    private int emptyInARow;
    private int restarts;
    private boolean repeating;
    private Optional<E> next = Optional.empty();

    @Override
    public boolean hasNext() {
      while (next.isEmpty()) {
        if (page.hasNext()) {
          E entry = page.next();
          Digest digest = Digest.of(id.apply(entry));
          if (!repeating || !delivered.contains(digest)) {
            delivered.add(digest);
            next = Optional.of(entry);
          }
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

    private void turn(String token) {
      if (pagesRead >= MAX_PAGES || delivered.size() >= MAX_ENTRIES) {
        throw endless("the list did not end after " + pagesRead + " pages");
      }
      Page<E> read;
      try {
        read = pages.apply(token);
      } catch (CsiException failed) {
        if (mayRestart(failed, token)) {
          restarts++;
          tokens.clear();
          emptyInARow = 0;
          repeating = true;
          nextToken = Optional.of(firstToken);
          return;
        }
        throw failed;
      }
      pagesRead++;
      emptyInARow = read.entries().isEmpty() ? emptyInARow + 1 : 0;
      page = read.entries().iterator();
      nextToken = read.nextToken();
      if (nextToken.isPresent() && !tokens.add(Digest.of(nextToken.get()))) {
        nextToken = Optional.empty();
        failAfterPage("the token of page " + pagesRead + " had been given out before");
      } else if (emptyInARow > MAX_EMPTY_PAGES) {
        throw endless(emptyInARow + " pages in a row were empty");
      }
    }

    /** Lets the entries of the present page be read first. */
    private void failAfterPage(String why) {
      Iterator<E> rest = page;
      page =
          new Iterator<>() {
            @Override
            public boolean hasNext() {
              if (!rest.hasNext()) {
                throw endless(why);
              }
              return true;
            }

            @Override
            public E next() {
              return rest.next();
            }
          };
    }

    /** A forgotten token; the caller's own first token is for the caller to replace. */
    private boolean mayRestart(CsiException failed, String token) {
      return failed.code() == StatusCode.ABORTED
          && firstToken.isEmpty()
          && !token.isEmpty()
          && restarts < MAX_RESTARTS;
    }

    private CsiException endless(String why) {
      return Failures.unusable(
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
