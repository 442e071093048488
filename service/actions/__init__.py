"""What Tripbook can do: load, decide (in `service.domain`), save. One public function per thing the API offers."""
