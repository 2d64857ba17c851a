package io.csi4j.volume.powercut;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * The oracle: what a host was told of its things until a moment, and so what a power cut at this
 * moment must leave. Of what the host never spoke nothing must be there.
 */
final class Ledger {

  /**
   * What is known of one thing.
   *
   * @param told the value that the host was told; nothing if no value is promised
   * @param begun the value that the host has asked for and not heard of
   */
  private record Account(Optional<String> told, Optional<String> begun) {

    private static final Account NEVER = new Account(Optional.of(Word.GONE), Optional.empty());

    Account after(Word word) {
      return switch (word.kind()) {
        case BEGUN -> new Account(told, Optional.of(word.value()));
        case DONE -> new Account(Optional.of(word.value()), Optional.empty());
        case REFUSED -> new Account(told, Optional.empty());
        case UNKNOWN -> new Account(Optional.empty(), Optional.empty());
      };
    }

    boolean allows(String found) {
      return told.isEmpty()
          || found.equals(told.get())
          || (begun.isPresent() && (found.equals(begun.get()) || found.equals(Word.UNSETTLED)));
    }

    @Override
    public String toString() {
      return told.map(value -> "was acknowledged as " + value).orElse("was promised nothing")
          + begun.map(value -> " and asked to be " + value).orElse("");
    }
  }

  private final Map<String, Account> accounts = new TreeMap<>();
  private final Set<String> forgotten = new TreeSet<>();

  void hear(Word word) {
    accounts.put(word.thing(), account(word.thing()).after(word));
  }

  /** A ledger that goes on apart from this one. */
  Ledger copy() {
    Ledger copy = new Ledger();
    copy.accounts.putAll(accounts);
    copy.forgotten.addAll(forgotten);
    return copy;
  }

  /** Returns the ledger of the next life, in which what was asked for may be there or not. */
  Ledger afterCrash() {
    Ledger next = copy();
    next.accounts.replaceAll(
        (thing, account) ->
            account.begun().isPresent() ? account.after(Word.unknown(thing)) : account);
    return next;
  }

  /**
   * Promises nothing any more about things whose names begin so. Some of them may be there under
   * other names.
   */
  void forget(String beginning) {
    forgotten.add(beginning);
    accounts.replaceAll(
        (thing, account) ->
            thing.startsWith(beginning) ? account.after(Word.unknown(thing)) : account);
  }

  private Account account(String thing) {
    Account account = accounts.get(thing);
    if (account != null) {
      return account;
    }
    return forgotten.stream().anyMatch(thing::startsWith)
        ? Account.NEVER.after(Word.unknown(thing))
        : Account.NEVER;
  }

  /** Whether the host was told that the thing has this value, and has not asked for another. */
  boolean promises(String thing, String value) {
    Account account = account(thing);
    return account.begun().isEmpty() && account.told().equals(Optional.of(value));
  }

  /**
   * Compares with what was found.
   *
   * @param found the values of all things that are there
   * @return what is wrong: nothing if all is well
   */
  List<String> objections(Map<String, String> found) {
    List<String> wrong = new ArrayList<>();
    TreeSet<String> things = new TreeSet<>(accounts.keySet());
    things.addAll(found.keySet());
    for (String thing : things) {
      Account account = account(thing);
      String now = found.getOrDefault(thing, Word.GONE);
      if (!account.allows(now)) {
        wrong.add(thing + " " + account + ", and is " + now);
      }
    }
    return wrong;
  }
}
